/** RSA keys from a seed, for tests. OpenSSL checks the primes: in JavaScript a key takes up to a minute. */
import { checkPrimeSync, createPrivateKey, type KeyObject } from "node:crypto";
import type { Random } from "../../src/base/random.js";

const EXPONENT = 65537n;

/** Makes a key. The same bytes of `random` give the same key. @param bits length of the modulus */
export function seededKey(random: Random, bits: number): KeyObject {
  const p = prime(random, bits / 16);
  const q = prime(random, bits / 16);
  // Put the larger prime first, as OpenSSL does.
  return p > q ? keyOf(p, q) : p < q ? keyOf(q, p) : seededKey(random, bits);
}

/** Returns a prime whose two highest bits are set, so that the product of two such primes has twice as many bits. */
function prime(random: Random, bytes: number): bigint {
  for (;;) {
    const candidate = Buffer.from(random.bytes(bytes));
    candidate[0] = (candidate[0] ?? 0) | 0xc0;
    candidate[bytes - 1] = (candidate[bytes - 1] ?? 0) | 1;
    const number = BigInt(`0x${candidate.toString("hex")}`);
    if (number % EXPONENT !== 1n && checkPrimeSync(candidate)) return number;
  }
}

function keyOf(p: bigint, q: bigint): KeyObject {
  const d = inverse(EXPONENT, (p - 1n) * (q - 1n));
  const numbers = { n: p * q, e: EXPONENT, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) };
  const key = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, base64url(value)]));
  return createPrivateKey({ key: { kty: "RSA", ...key }, format: "jwk" });
}

function base64url(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex").toString("base64url");
}

/** Returns the inverse of `value`: their product leaves the remainder 1 (extended Euclidean algorithm). */
function inverse(value: bigint, modulus: bigint): bigint {
  let [rest, next] = [modulus, value % modulus];
  let [factor, nextFactor] = [0n, 1n];
  while (next !== 0n) {
    const times = rest / next;
    [rest, next] = [next, rest - times * next];
    [factor, nextFactor] = [nextFactor, factor - times * nextFactor];
  }
  return ((factor % modulus) + modulus) % modulus;
}
