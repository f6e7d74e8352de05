// The random numbers of particlegvi/engine/numerics/noise.py: Philox4x32-10 with the seed as its key and the counter
// (particle, low word of step // 2, high word of step // 2, role * 2^24 + coordinate); Box-Muller gives two steps.
"use strict";
const PG = {};
(() => {
  const M0 = 0xd2511f53,
    M1 = 0xcd9e8d57,
    W0 = 0x9e3779b9,
    W1 = 0xbb67ae85,
    TWO53 = 2 ** -53;
  PG.roles = { noise: 0, start: 1 << 24, draws: 4 << 24, jumps: 6 << 24 };

  function high_word(a, b0, b1) {
    // of the product of a and b1 * 2^16 + b0, in integers of 32 bits alone
    const a0 = a & 0xffff,
      a1 = a >>> 16;
    const t = Math.imul(a0, b0) >>> 16,
      w1 = (Math.imul(a1, b0) + t) | 0,
      w2 = (Math.imul(a0, b1) + (w1 & 0xffff)) | 0;
    return (Math.imul(a1, b1) + (w1 >>> 16) + (w2 >>> 16)) | 0;
  }
  const word = new Uint32Array(4);
  PG.philox = function (c0, c1, c2, c3, k0, k1) {
    c0 |= 0;
    c1 |= 0;
    c2 |= 0;
    c3 |= 0;
    k0 |= 0;
    k1 |= 0;
    for (let i = 0; i < 10; i++) {
      const h0 = high_word(c0, M0 & 0xffff, M0 >>> 16),
        l0 = Math.imul(M0, c0);
      const h1 = high_word(c2, M1 & 0xffff, M1 >>> 16),
        l1 = Math.imul(M1, c2);
      c0 = h1 ^ c1 ^ k0;
      c1 = l1;
      c2 = h0 ^ c3 ^ k1;
      c3 = l0;
      k0 = (k0 + W0) | 0;
      k1 = (k1 + W1) | 0;
    }
    word[0] = c0;
    word[1] = c1;
    word[2] = c2;
    word[3] = c3;
    return word;
  };
  // the midpoint of one of 2^52 cells of (0, 1)
  const uniform = (high, low) => (2 * (high * 1048576 + (low >>> 12)) + 1) * TWO53;

  // The two words of a seed from 0 to 2^64 - 1, given as a number or a text of digits
  PG.key = seed => {
    const number = BigInt(seed);
    return [Number(number & 0xffffffffn), Number((number >> 32n) & 0xffffffffn)];
  };

  // Numbers of steps 2 k (even) and 2 k + 1 (odd) of one role and coordinate, for all particles.
  PG.normals = function (key, role, coordinate, half, even, odd) {
    const low = half >>> 0,
      high = Math.floor(half / 4294967296) >>> 0;
    for (let i = 0; i < even.length; i++) {
      PG.philox(i, low, high, role + coordinate, key[0], key[1]);
      const radius = Math.sqrt(-2 * Math.log(uniform(word[0], word[1]))),
        angle = 2 * Math.PI * uniform(word[2], word[3]);
      even[i] = radius * Math.cos(angle);
      odd[i] = radius * Math.sin(angle);
    }
  };
  PG.uniforms = function (key, role, coordinate, half, even, odd) {
    const low = half >>> 0,
      high = Math.floor(half / 4294967296) >>> 0;
    for (let i = 0; i < even.length; i++) {
      PG.philox(i, low, high, role + coordinate, key[0], key[1]);
      even[i] = uniform(word[0], word[1]);
      odd[i] = uniform(word[2], word[3]);
    }
  };
})();
