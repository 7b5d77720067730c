/* dominators.c: immediate dominators by Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001). On a
 * graph with its edges turned round, these are post-dominators. */
#include "code/dominators.h"

#include <stdlib.h>

code_digraph code_digraph_new(uint32_t nodes, const code_edges *edges)
{
    code_digraph g = {.nodes = nodes, .start = lw_alloc((nodes + 1) * sizeof *g.start)};
    g.target = lw_alloc((edges->count + 1) * sizeof *g.target);
    for (size_t k = 0; k < edges->count; k++) g.start[edges->items[k].from + 1]++;
    for (uint32_t n = 0; n < nodes; n++) g.start[n + 1] += g.start[n];
    uint32_t *filled = lw_alloc((nodes + 1) * sizeof *filled);
    for (size_t k = 0; k < edges->count; k++) {
        code_edge e = edges->items[k];
        g.target[g.start[e.from] + filled[e.from]++] = e.to;
    }
    free(filled);
    return g;
}

void code_digraph_free(code_digraph *g)
{
    free(g->start);
    free(g->target);
}

/* A depth-first search that keeps its path here, not on the host's stack. */
typedef struct search {
    const code_digraph *g;
    uint8_t *seen;
    uint32_t *path; /* nodes from the root to the one at hand */
    uint32_t *next; /* by depth: the edge of path[depth] to follow next */
} search;

static void enter_node(search *s, uint32_t depth, uint32_t node)
{
    s->seen[node] = 1;
    s->path[depth] = node;
    s->next[depth] = s->g->start[node];
}

/* post: NULL, or where the nodes go in postorder. Returns how many they are. */
static uint32_t search_from(const code_digraph *g, uint32_t root, uint8_t *seen, uint32_t *post)
{
    search s = {.g = g, .seen = seen, .path = lw_alloc(g->nodes * sizeof *s.path)};
    s.next = lw_alloc(g->nodes * sizeof *s.next);
    uint32_t depth = 0, count = 0;
    enter_node(&s, depth, root);
    for (;;) {
        uint32_t node = s.path[depth];
        if (s.next[depth] < g->start[node + 1]) {
            uint32_t other = g->target[s.next[depth]++];
            if (!seen[other]) enter_node(&s, ++depth, other);
            continue;
        }
        if (post) post[count] = node;
        count++;
        if (!depth) break;
        depth--;
    }
    free(s.path);
    free(s.next);
    return count;
}

void code_digraph_reach(const code_digraph *g, uint32_t root, uint8_t *seen) { search_from(g, root, seen, NULL); }

/* The nearest node that dominates both. */
static uint32_t meet(const code_dominators *d, uint32_t x, uint32_t y)
{
    while (x != y) {
        while (d->order[x] > d->order[y]) x = d->up[x];
        while (d->order[y] > d->order[x]) y = d->up[y];
    }
    return x;
}

/* Lets what `from`, which has a dominator, leads to meet it. Returns whether that changes anything. */
static bool meet_successors(const code_digraph *g, code_dominators *d, uint32_t root, uint32_t from)
{
    bool changed = false;
    for (uint32_t e = g->start[from]; e < g->start[from + 1]; e++) {
        uint32_t to = g->target[e];
        if (to == root) continue;
        uint32_t now = d->up[to] == CODE_NO_NODE ? from : meet(d, d->up[to], from);
        changed |= now != d->up[to];
        d->up[to] = now;
    }
    return changed;
}

code_dominators code_dominators_new(const code_digraph *g, uint32_t root)
{
    code_dominators d = {.up = lw_alloc(g->nodes * sizeof *d.up), .order = lw_alloc(g->nodes * sizeof *d.order)};
    uint32_t *post = lw_alloc(g->nodes * sizeof *post);
    uint8_t *seen = lw_alloc(g->nodes);
    uint32_t count = search_from(g, root, seen, post);
    for (uint32_t n = 0; n < g->nodes; n++) d.up[n] = CODE_NO_NODE;
    for (uint32_t k = 0; k < count; k++) d.order[post[k]] = count - k;
    d.up[root] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = count; k-- > 0;) changed |= meet_successors(g, &d, root, post[k]);
    }
    free(post);
    free(seen);
    return d;
}

void code_dominators_free(code_dominators *d)
{
    free(d->up);
    free(d->order);
}

bool code_dominates(const code_dominators *d, uint32_t over, uint32_t node)
{
    if (!d->order[over] || !d->order[node]) return over == node;
    while (d->order[node] > d->order[over]) node = d->up[node];
    return node == over;
}
