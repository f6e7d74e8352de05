// Elementary functions in two forms. `plain`: the browser's own, within an ulp or two. `exact`: the polynomials of
// particlegvi/engine/numerics/mathematics.py with an emulated fused multiply-add: the engine's bits in every browser.
"use strict";
const PG = {};

(() => {
  const f64 = new Float64Array(1),
    u32 = new Uint32Array(f64.buffer); // little endian: low word, high word
  const SPLIT = 134217729,
    ROUND = 6755399441055744,
    LOG2_E = 1.4426950408889634;
  const LN2_HIGH = 6.9314718036912381649e-1,
    LN2_LOW = 1.90821492927058770002e-10;
  const factorial = n => (n < 2 ? 1 : n * factorial(n - 1)),
    range = (a, b) => Array.from({ length: b - a }, (_, i) => a + i);
  const EXPM1 = range(2, 14).map(k => 1 / factorial(k));
  const EXP = [
    0.5000000000000001, 0.16666666666666669, 0.04166666666662399, 0.008333333333330051, 0.0013888888917281794,
    0.00019841269863105968, 2.480152119021773e-5, 2.7557268378684192e-6, 2.7620138719733994e-7, 2.5100424157005067e-8,
  ];
  const LOG = range(1, 11).map(k => 2 / (2 * k + 1));
  const SIN = range(1, 9).map(k => (-1) ** k / factorial(2 * k + 1)),
    COS = range(1, 9).map(k => (-1) ** k / factorial(2 * k));

  // a * b + c with one rounding (Boldo and Melquiond, 2008): the exact product and sum, then one rounding to odd
  function fma(a, b, c) {
    const p = a * b;
    let t = SPLIT * a;
    const ah = t - (t - a),
      al = a - ah;
    t = SPLIT * b;
    const bh = t - (t - b),
      bl = b - bh;
    const e = ah * bh - p + ah * bl + al * bh + al * bl;
    let s = c + e,
      z = s - c;
    const tl = c - (s - z) + (e - z),
      th = s;
    s = p + th;
    z = s - p;
    const vl = p - (s - z) + (th - z),
      vh = s;
    let w = tl + vl;
    z = w - tl;
    const r = tl - (w - z) + (vl - z);
    if (r !== 0) {
      f64[0] = w;
      if ((u32[0] & 1) === 0) {
        if (r > 0 === w > 0) u32[0] += 1;
        else {
          if (u32[0] === 0) u32[1] -= 1;
          u32[0] -= 1;
        }
        w = f64[0];
      }
    }
    return vh + w;
  }
  // coefficients from the lowest on, Horner's rule from the highest
  function horner(c, z) {
    let p = fma(c[c.length - 1], z, c[c.length - 2]);
    for (let i = c.length - 3; i >= 0; i--) p = fma(p, z, c[i]);
    return p;
  }
  function power_of_two(n) {
    u32[0] = 0;
    u32[1] = (n + 1023) << 20;
    return f64[0];
  }

  function exp(x) {
    if (!(x <= 709.782712893384)) return x + Infinity; // nan where x is
    if (x < -708.3964185322641) return 0;
    const n = fma(x, LOG2_E, ROUND) - ROUND,
      r = fma(n, -LN2_LOW, fma(n, -LN2_HIGH, x));
    const p = fma(fma(horner(EXP, r), r, 1), r, 1),
      half = n >> 1;
    return p * power_of_two(half) * power_of_two(n - half);
  }
  function expm1(x) {
    if (Math.abs(x) > 0.35) return exp(x) - 1;
    return x === x ? fma(horner(EXPM1, x) * x, x, x) : x;
  }
  function log_normal(x) {
    f64[0] = x;
    let low = u32[0] + 0x9980c433,
      high = u32[1] + 0x00095f61;
    if (low > 0xffffffff) {
      low -= 4294967296;
      high += 1;
    }
    const k = (high >>> 20) - 1023;
    let mantissa_low = low + 0x667f3bcd,
      mantissa_high = (high & 0x000fffff) + 0x3fe6a09e;
    if (mantissa_low > 0xffffffff) {
      mantissa_low -= 4294967296;
      mantissa_high += 1;
    }
    u32[0] = mantissa_low;
    u32[1] = mantissa_high;
    const m = f64[0],
      f = m - 1,
      s = f / (m + 1),
      z = s * s,
      p = horner(LOG, z);
    const half = 0.5 * f * f,
      series = f - (half - s * (half + p * z));
    return fma(k, LN2_HIGH, fma(k, LN2_LOW, series));
  }
  function log(x) {
    if (!(x >= 0)) return NaN;
    if (x === 0) return -Infinity;
    if (x === Infinity) return x;
    const tiny = x < 2.2250738585072014e-308;
    return log_normal(tiny ? x * 18014398509481984 : x) - (tiny ? 37.42994775023705 : 0);
  }
  function turned(x, quarter) {
    // sin(x + quarter pi/2)
    if (!(Math.abs(x) <= 2 ** 50)) return NaN;
    const n = fma(x, 0.6366197723675814, ROUND) - ROUND;
    const r = fma(n, 1.4973849048591833e-33, fma(n, -6.123233995736766e-17, fma(n, -1.5707963267948966, x)));
    const q = (((n + quarter) % 4) + 4) % 4,
      z = r * r;
    const value = q % 2 === 0 ? fma(horner(SIN, z) * z, r, r) : fma(horner(COS, z), z, 1);
    return q >= 2 ? -value : value;
  }
  const sin = x => turned(x, 0),
    cos = x => turned(x, 1);
  function sinh(x) {
    const a = Math.abs(x),
      t = expm1(a < 700 ? a : 0),
      half = exp(0.5 * a);
    const size = a < 700 ? 0.5 * (t + t / (t + 1)) : 0.5 * half * half;
    return x >= 0 ? size : -size;
  }
  function cosh(x) {
    const half = exp(0.5 * Math.abs(x)),
      square = half * half;
    return Math.abs(x) < 700 ? 0.5 * square + 0.5 / square : 0.5 * half * half;
  }
  function tanh(x) {
    const a = Math.abs(x),
      t = expm1(2 * (a < 22 ? a : 22)),
      size = a === a ? t / (t + 2) : a;
    return x >= 0 ? size : -size;
  }
  PG.fma = fma;
  PG.horner = horner;
  PG.exact = { exp, expm1, log, log_normal, sin, cos, tan: x => sin(x) / cos(x), sinh, cosh, tanh, is_exact: true };
  const { expm1: em1, log: ln } = Math;
  PG.plain = {
    exp: Math.exp,
    expm1: em1,
    log: ln,
    log_normal: ln,
    sin: Math.sin,
    cos: Math.cos,
    tan: Math.tan,
    sinh: Math.sinh,
    cosh: Math.cosh,
    tanh: Math.tanh,
    is_exact: false,
  };
})();
