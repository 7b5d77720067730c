#!/bin/sh
# check_includes.sh: rooms include only downwards (docs/ARCHITECTURE.md). One row a room: what it may include.
set -eu
cd "$(dirname "$0")/../src"
bad=0
check() {
    room=$1
    shift
    for file in "$room"/*.[ch] "$room"/*.def "$room"/*.inl; do
        [ -f "$file" ] || continue
        for include in $(sed -n 's/^ *# *include "\([^"]*\)".*/\1/p' "$file"); do
            case $include in
            */*) target=${include%%/*} ;;
            *) continue ;;
            esac
            [ "$target" = "$room" ] || [ "$target" = lanewise ] && continue
            ok=no
            for allowed in "$@"; do
                case $include in "$allowed"/* | "$allowed") ok=yes ;; esac
            done
            [ $ok = yes ] || { echo "src/$file includes $include: not allowed for $room"; bad=1; }
        done
    done
}
check base
check fatbin base
check ptx base code/mods.h
check code base ptx exec/event.h
check device base
check memory base
check exec base ptx code memory
check result base
check model base exec/event.h device result
check check base exec/event.h memory result
check report base result device fatbin code/lines.h
check host base fatbin ptx code device memory exec result model check report
check api base fatbin ptx code device memory exec result model check report host
check cudart base fatbin ptx code device memory exec result model check report host
check cuda base fatbin ptx code device memory exec result model check report host cudart
[ $bad = 0 ] && echo "include direction: clean"
exit $bad
