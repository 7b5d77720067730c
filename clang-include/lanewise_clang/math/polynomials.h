/*
 * The polynomials of the device math functions, by Horner's rule with fused steps.
 * Written by tests/clang/fit_polynomials.py; each comment gives what is approximated and the fit's relative error.
 */
#ifndef LWC_MATH_POLYNOMIALS_H
#define LWC_MATH_POLYNOMIALS_H

/* (e^x - 1 - x) / x^2, |x| <= ln(2)/2; 3.0e-18 */
LWM_FN double lwm_poly_exp(double x)
{
    double p = 2.091474511516838e-09;
    p = LWM_FMA(p, x, 2.5105298431023807e-08);
    p = LWM_FMA(p, x, 2.7557273503292845e-07);
    p = LWM_FMA(p, x, 2.7557255204413406e-06);
    p = LWM_FMA(p, x, 2.4801587325658057e-05);
    p = LWM_FMA(p, x, 0.00019841269874975104);
    p = LWM_FMA(p, x, 0.0013888888888883718);
    p = LWM_FMA(p, x, 0.00833333333332609);
    p = LWM_FMA(p, x, 0.04166666666666667);
    p = LWM_FMA(p, x, 0.1666666666666667);
    p = LWM_FMA(p, x, 0.5);
    return p;
}

/* (2^x - 1) / x, |x| <= 1/2; 3.4e-21 */
LWM_FN double lwm_poly_exp2(double x)
{
    double p = 1.3717064479253811e-12;
    p = LWM_FMA(p, x, 2.573378928044613e-11);
    p = LWM_FMA(p, x, 4.4455302451740046e-10);
    p = LWM_FMA(p, x, 7.054894247966286e-09);
    p = LWM_FMA(p, x, 1.0178086021329605e-07);
    p = LWM_FMA(p, x, 1.3215486816311955e-06);
    p = LWM_FMA(p, x, 1.525273380405099e-05);
    p = LWM_FMA(p, x, 0.0001540353039336245);
    p = LWM_FMA(p, x, 0.0013333558146428445);
    p = LWM_FMA(p, x, 0.009618129107628484);
    p = LWM_FMA(p, x, 0.05550410866482158);
    p = LWM_FMA(p, x, 0.24022650695910072);
    p = LWM_FMA(p, x, 0.6931471805599453);
    return p;
}

/* e^x, |x| <= ln(2)/2, for float; 5.4e-11 */
LWM_FN double lwm_poly_expf(double x)
{
    double p = 0.0001990768431318596;
    p = LWM_FMA(p, x, 0.0013948681897671157);
    p = LWM_FMA(p, x, 0.008333283365902127);
    p = LWM_FMA(p, x, 0.041666216763014775);
    p = LWM_FMA(p, x, 0.16666666786931764);
    p = LWM_FMA(p, x, 0.5000000108290383);
    p = LWM_FMA(p, x, 0.9999999999954778);
    p = LWM_FMA(p, x, 0.9999999999592807);
    return p;
}

/* 2^x, |x| <= 1/2, for float; 5.5e-11 */
LWM_FN double lwm_poly_exp2f(double x)
{
    double p = 1.530390509058455e-05;
    p = LWM_FMA(p, x, 0.0001546999476270236);
    p = LWM_FMA(p, x, 0.0013333477833756698);
    p = LWM_FMA(p, x, 0.009618024781872923);
    p = LWM_FMA(p, x, 0.05550410906806735);
    p = LWM_FMA(p, x, 0.24022651219745797);
    p = LWM_FMA(p, x, 0.6931471805567823);
    p = LWM_FMA(p, x, 0.9999999999589098);
    return p;
}

/* (2 atanh(s) / s - 2) / z, z = s^2, s = (m - 1)/(m + 1), m in [sqrt(1/2), sqrt(2)]; 2.2e-20 */
LWM_FN double lwm_poly_log(double x)
{
    double p = 0.11890045085576857;
    p = LWM_FMA(p, x, 0.11687233189552514);
    p = LWM_FMA(p, x, 0.13335678514714808);
    p = LWM_FMA(p, x, 0.1538457420874962);
    p = LWM_FMA(p, x, 0.18181818605445013);
    p = LWM_FMA(p, x, 0.22222222219777607);
    p = LWM_FMA(p, x, 0.2857142857143563);
    p = LWM_FMA(p, x, 0.3999999999999999);
    p = LWM_FMA(p, x, 0.6666666666666666);
    return p;
}

/* (2 atanh(s) / s - 2 - 2/3 z) / z^2, z = s^2; 4.8e-18 */
LWM_FN double lwm_poly_log_tail(double x)
{
    double p = 0.1173010786189303;
    p = LWM_FMA(p, x, 0.1170557189567721);
    p = LWM_FMA(p, x, 0.13334829573906534);
    p = LWM_FMA(p, x, 0.1538459450380989);
    p = LWM_FMA(p, x, 0.18181818339697634);
    p = LWM_FMA(p, x, 0.22222222221636845);
    p = LWM_FMA(p, x, 0.28571428571429397);
    p = LWM_FMA(p, x, 0.4);
    return p;
}

/* 2 atanh(s) / s, z = s^2, for float; 4.4e-12 */
LWM_FN double lwm_poly_logf(double x)
{
    double p = 0.23624389651478447;
    p = LWM_FMA(p, x, 0.2853463657432984);
    p = LWM_FMA(p, x, 0.40000391218630094);
    p = LWM_FMA(p, x, 0.6666666521533552);
    p = LWM_FMA(p, x, 2.0000000000085962);
    return p;
}

/* (sin x / x - 1) / z, z = x^2, |x| <= pi/4; 7.2e-20 */
LWM_FN double lwm_poly_sin(double x)
{
    double p = -7.586620399941698e-13;
    p = LWM_FMA(p, x, 1.605853031671114e-10);
    p = LWM_FMA(p, x, -2.5052106224226283e-08);
    p = LWM_FMA(p, x, 2.7557319219315484e-06);
    p = LWM_FMA(p, x, -0.00019841269841265036);
    p = LWM_FMA(p, x, 0.008333333333333331);
    p = LWM_FMA(p, x, -0.16666666666666666);
    return p;
}

/* (cos x - 1 + z/2) / z^2, z = x^2, |x| <= pi/4; 1.6e-20 */
LWM_FN double lwm_poly_cos(double x)
{
    double p = 4.745829248339419e-14;
    p = LWM_FMA(p, x, -1.1470460163571346e-11);
    p = LWM_FMA(p, x, 2.087675578650957e-09);
    p = LWM_FMA(p, x, -2.755731922138966e-07);
    p = LWM_FMA(p, x, 2.480158730158463e-05);
    p = LWM_FMA(p, x, -0.0013888888888888887);
    p = LWM_FMA(p, x, 0.041666666666666664);
    return p;
}

/* sin x / x, z = x^2, |x| <= pi/4, for float; 4.8e-12 */
LWM_FN double lwm_poly_sinf(double x)
{
    double p = 2.7172971077531203e-06;
    p = LWM_FMA(p, x, -0.00019839196964389696);
    p = LWM_FMA(p, x, 0.008333328765102777);
    p = LWM_FMA(p, x, -0.1666666663141257);
    p = LWM_FMA(p, x, 0.9999999999956455);
    return p;
}

/* cos x, z = x^2, |x| <= pi/4, for float; 7.7e-14 */
LWM_FN double lwm_poly_cosf(double x)
{
    double p = -2.717294400899795e-07;
    p = LWM_FMA(p, x, 2.479892200746645e-05);
    p = LWM_FMA(p, x, -0.001388888036137762);
    p = LWM_FMA(p, x, 0.041666666543286164);
    p = LWM_FMA(p, x, -0.4999999999934698);
    p = LWM_FMA(p, x, 0.9999999999999439);
    return p;
}

/* (atan x / x - 1) / z, z = x^2, |x| <= sqrt(2) - 1; 5.0e-21 */
LWM_FN double lwm_poly_atan(double x)
{
    double p = 0.011915955533716018;
    p = LWM_FMA(p, x, -0.02722789685326128);
    p = LWM_FMA(p, x, 0.0372120552966751);
    p = LWM_FMA(p, x, -0.04293653381803055);
    p = LWM_FMA(p, x, 0.047545118826051926);
    p = LWM_FMA(p, x, -0.052624408650793826);
    p = LWM_FMA(p, x, 0.058823035630220295);
    p = LWM_FMA(p, x, -0.06666664284549759);
    p = LWM_FMA(p, x, 0.07692307614016626);
    p = LWM_FMA(p, x, -0.09090909089237496);
    p = LWM_FMA(p, x, 0.11111111111089685);
    p = LWM_FMA(p, x, -0.14285714285714143);
    p = LWM_FMA(p, x, 0.19999999999999998);
    p = LWM_FMA(p, x, -0.3333333333333333);
    return p;
}

/* (asin x / x - 1) / z, z = x^2, |x| <= 1/2; 2.2e-20 */
LWM_FN double lwm_poly_asin(double x)
{
    double p = 0.03213188096143374;
    p = LWM_FMA(p, x, -0.029393135285450928);
    p = LWM_FMA(p, x, 0.0265769716806134);
    p = LWM_FMA(p, x, -0.0027578721526181206);
    p = LWM_FMA(p, x, 0.008754166020190836);
    p = LWM_FMA(p, x, 0.006866550973843889);
    p = LWM_FMA(p, x, 0.008452862958449638);
    p = LWM_FMA(p, x, 0.009755223466283599);
    p = LWM_FMA(p, x, 0.01155227278631771);
    p = LWM_FMA(p, x, 0.01396481897308536);
    p = LWM_FMA(p, x, 0.01735276531871676);
    p = LWM_FMA(p, x, 0.022372159069720142);
    p = LWM_FMA(p, x, 0.030381944444746813);
    p = LWM_FMA(p, x, 0.04464285714285488);
    p = LWM_FMA(p, x, 0.07500000000000001);
    p = LWM_FMA(p, x, 0.16666666666666666);
    return p;
}

/* erf x / x - 1, z = x^2, |x| <= 1; 2.7e-20 */
LWM_FN double lwm_poly_erf(double x)
{
    double p = 2.8067128195611264e-13;
    p = LWM_FMA(p, x, -6.1967364287877e-12);
    p = LWM_FMA(p, x, 9.323723518153027e-11);
    p = LWM_FMA(p, x, -1.2277734486795524e-09);
    p = LWM_FMA(p, x, 1.4806027146128752e-08);
    p = LWM_FMA(p, x, -1.636576864883207e-07);
    p = LWM_FMA(p, x, 1.6462110782018636e-06);
    p = LWM_FMA(p, x, -1.4925650236967501e-05);
    p = LWM_FMA(p, x, 0.00012055332978879483);
    p = LWM_FMA(p, x, -0.0008548327023403001);
    p = LWM_FMA(p, x, 0.005223977625441674);
    p = LWM_FMA(p, x, -0.026866170645131218);
    p = LWM_FMA(p, x, 0.11283791670955126);
    p = LWM_FMA(p, x, -0.37612638903183754);
    p = LWM_FMA(p, x, 0.1283791670955126);
    return p;
}

/* (1 + 2x) e^(x^2) erfc x, t = (x - 4)/(x + 4), x >= 0; 1.6e-20 */
LWM_FN double lwm_poly_erfcx(double x)
{
    double p = -6.403975604709392e-12;
    p = LWM_FMA(p, x, 2.254386963302253e-11);
    p = LWM_FMA(p, x, 8.663735298419077e-11);
    p = LWM_FMA(p, x, -2.8963584904232577e-10);
    p = LWM_FMA(p, x, -6.778088394230772e-10);
    p = LWM_FMA(p, x, 2.246842407607668e-09);
    p = LWM_FMA(p, x, 4.208663682510247e-09);
    p = LWM_FMA(p, x, -1.55116096472895e-08);
    p = LWM_FMA(p, x, -2.2178620955768652e-08);
    p = LWM_FMA(p, x, 1.1101276166790451e-07);
    p = LWM_FMA(p, x, 7.91379993178254e-08);
    p = LWM_FMA(p, x, -8.256313456224953e-07);
    p = LWM_FMA(p, x, 2.9079620624127864e-07);
    p = LWM_FMA(p, x, 5.709590036474357e-06);
    p = LWM_FMA(p, x, -1.122071208160548e-05);
    p = LWM_FMA(p, x, -2.4399088538108365e-05);
    p = LWM_FMA(p, x, 0.00015062129682403183);
    p = LWM_FMA(p, x, -0.0001992567388181088);
    p = LWM_FMA(p, x, -0.0007577732177243288);
    p = LWM_FMA(p, x, 0.005031969986398414);
    p = LWM_FMA(p, x, -0.01619773406614484);
    p = LWM_FMA(p, x, 0.03716751553659315);
    p = LWM_FMA(p, x, -0.066330365811637);
    p = LWM_FMA(p, x, 0.09373283499839866);
    p = LWM_FMA(p, x, -0.10103906603632536);
    p = LWM_FMA(p, x, 0.0680970542546915);
    p = LWM_FMA(p, x, 0.015379652102620043);
    p = LWM_FMA(p, x, -0.1396211168405625);
    p = LWM_FMA(p, x, 1.2329951186255526);
    return p;
}

/* ln gamma(1 + t) / t, t in [-1/2, 1/2]; 3.8e-18 */
LWM_FN double lwm_poly_lgamma1(double x)
{
    double p = -0.22513960340091724;
    p = LWM_FMA(p, x, 0.23220268431813382);
    p = LWM_FMA(p, x, 0.16833795110458116);
    p = LWM_FMA(p, x, -0.17310581118613022);
    p = LWM_FMA(p, x, -0.15340561526661664);
    p = LWM_FMA(p, x, 0.15846766634774326);
    p = LWM_FMA(p, x, -0.00448526260385919);
    p = LWM_FMA(p, x, 0.005299145410064582);
    p = LWM_FMA(p, x, -0.05663969322285908);
    p = LWM_FMA(p, x, 0.05928878667667664);
    p = LWM_FMA(p, x, -0.05117780893522236);
    p = LWM_FMA(p, x, 0.054058776743014576);
    p = LWM_FMA(p, x, -0.058989240310658976);
    p = LWM_FMA(p, x, 0.0626711104727693);
    p = LWM_FMA(p, x, -0.06665550719444015);
    p = LWM_FMA(p, x, 0.07141935724662937);
    p = LWM_FMA(p, x, -0.07693324338734528);
    p = LWM_FMA(p, x, 0.08335458900295017);
    p = LWM_FMA(p, x, -0.09095399050709609);
    p = LWM_FMA(p, x, 0.10009943008747753);
    p = LWM_FMA(p, x, -0.11133426648064039);
    p = LWM_FMA(p, x, 0.12550967015385275);
    p = LWM_FMA(p, x, -0.14404989676093186);
    p = LWM_FMA(p, x, 0.16955717698926046);
    p = LWM_FMA(p, x, -0.20738555102872175);
    p = LWM_FMA(p, x, 0.2705808084278337);
    p = LWM_FMA(p, x, -0.4006856343865313);
    p = LWM_FMA(p, x, 0.8224670334241131);
    p = LWM_FMA(p, x, -0.5772156649015329);
    return p;
}

/* ln gamma(2 + t) / t, t in [-1/2, 1/2]; 2.9e-19 */
LWM_FN double lwm_poly_lgamma2(double x)
{
    double p = 6.379047507619774e-08;
    p = LWM_FMA(p, x, -1.3412819758517287e-07);
    p = LWM_FMA(p, x, 2.0304806751615227e-07);
    p = LWM_FMA(p, x, -4.303558760359961e-07);
    p = LWM_FMA(p, x, 9.578663334114758e-07);
    p = LWM_FMA(p, x, -2.0449201467015115e-06);
    p = LWM_FMA(p, x, 4.374374916915131e-06);
    p = LWM_FMA(p, x, -9.438458716242811e-06);
    p = LWM_FMA(p, x, 2.050726741605779e-05);
    p = LWM_FMA(p, x, -4.4926351103833334e-05);
    p = LWM_FMA(p, x, 9.945750909889392e-05);
    p = LWM_FMA(p, x, -0.00022315475074520367);
    p = LWM_FMA(p, x, 0.0005096695248853096);
    p = LWM_FMA(p, x, -0.0011927539120010226);
    p = LWM_FMA(p, x, 0.002890510330738737);
    p = LWM_FMA(p, x, -0.0073855510286681535);
    p = LWM_FMA(p, x, 0.02058080842778457);
    p = LWM_FMA(p, x, -0.06735230105319814);
    p = LWM_FMA(p, x, 0.3224670334241132);
    p = LWM_FMA(p, x, 0.42278433509846713);
    return p;
}

/* x (ln gamma x - Stirling), z = 1/x^2, x >= 8; 1.5e-19 */
LWM_FN double lwm_poly_stirling(double x)
{
    double p = -0.020855820837463117;
    p = LWM_FMA(p, x, 0.0062081367662297935);
    p = LWM_FMA(p, x, -0.001914965912162907);
    p = LWM_FMA(p, x, 0.0008417325268022405);
    p = LWM_FMA(p, x, -0.0005952380234291254);
    p = LWM_FMA(p, x, 0.0007936507935117282);
    p = LWM_FMA(p, x, -0.0027777777777776747);
    p = LWM_FMA(p, x, 0.08333333333333333);
    return p;
}

/* gamma(2 + t), t in [-1/2, 1/2]; 2.2e-19 */
LWM_FN double lwm_poly_gamma2(double x)
{
    double p = 6.672088876290777e-07;
    p = LWM_FMA(p, x, -1.3343070017400827e-06);
    p = LWM_FMA(p, x, 1.792573008733643e-06);
    p = LWM_FMA(p, x, -3.5842818697056385e-06);
    p = LWM_FMA(p, x, 7.658736710883484e-06);
    p = LWM_FMA(p, x, -1.530884712690297e-05);
    p = LWM_FMA(p, x, 3.044629718059869e-05);
    p = LWM_FMA(p, x, -6.077837214088268e-05);
    p = LWM_FMA(p, x, 0.00012167470137306104);
    p = LWM_FMA(p, x, -0.00024094322543932877);
    p = LWM_FMA(p, x, 0.0004903883819460522);
    p = LWM_FMA(p, x, -0.000919573701078013);
    p = LWM_FMA(p, x, 0.0021039333438764517);
    p = LWM_FMA(p, x, -0.002852645827513233);
    p = LWM_FMA(p, x, 0.011154045718050476);
    p = LWM_FMA(p, x, -0.0002669820685839899);
    p = LWM_FMA(p, x, 0.07424901075351484);
    p = LWM_FMA(p, x, 0.08157691924708439);
    p = LWM_FMA(p, x, 0.4118403304264397);
    p = LWM_FMA(p, x, 0.42278433509846713);
    p = LWM_FMA(p, x, 1.0);
    return p;
}

/* (e^x - 1 - x - x^2/2) / x^3, |x| <= 0.4; 3.0e-18 */
LWM_FN double lwm_poly_expm1(double x)
{
    double p = 1.6092726017555552e-10;
    p = LWM_FMA(p, x, 2.0927287195666154e-09);
    p = LWM_FMA(p, x, 2.5052054476121546e-08);
    p = LWM_FMA(p, x, 2.75572383453372e-07);
    p = LWM_FMA(p, x, 2.755731926172816e-06);
    p = LWM_FMA(p, x, 2.4801587358212125e-05);
    p = LWM_FMA(p, x, 0.00019841269841259056);
    p = LWM_FMA(p, x, 0.0013888888888872709);
    p = LWM_FMA(p, x, 0.008333333333333335);
    p = LWM_FMA(p, x, 0.04166666666666668);
    p = LWM_FMA(p, x, 0.16666666666666666);
    return p;
}

/* (sinh x / x - 1) / z, z = x^2, |x| <= 1; 2.1e-18 */
LWM_FN double lwm_poly_sinh(double x)
{
    double p = 7.746178593018827e-13;
    p = LWM_FMA(p, x, 1.6057679623801638e-10);
    p = LWM_FMA(p, x, 2.5052117695907823e-08);
    p = LWM_FMA(p, x, 2.7557319191381816e-06);
    p = LWM_FMA(p, x, 0.00019841269841324198);
    p = LWM_FMA(p, x, 0.008333333333333299);
    p = LWM_FMA(p, x, 0.16666666666666666);
    return p;
}

/* (tanh x / x - 1) / z, z = x^2, |x| <= 1/2; 7.7e-20 */
LWM_FN double lwm_poly_tanh(double x)
{
    double p = 8.855218239870651e-06;
    p = LWM_FMA(p, x, -3.5142828850017934e-05);
    p = LWM_FMA(p, x, 9.544226257634474e-05);
    p = LWM_FMA(p, x, -0.00023878835288778877);
    p = LWM_FMA(p, x, 0.0005899747500391614);
    p = LWM_FMA(p, x, -0.0014558289144804548);
    p = LWM_FMA(p, x, 0.0035921276607858424);
    p = LWM_FMA(p, x, -0.008863235513495712);
    p = LWM_FMA(p, x, 0.02186948853573167);
    p = LWM_FMA(p, x, -0.05396825396824831);
    p = LWM_FMA(p, x, 0.1333333333333333);
    p = LWM_FMA(p, x, -0.3333333333333333);
    return p;
}

#endif
