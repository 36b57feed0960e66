const wordCount = 64;
const blockSize = 64;

/** The first 32 bits of the fractional part of a root of each of the first primes, as FIPS 180-4 defines the constants. */
function fractionsOfRoots(root: (prime: number) => number, count: number): Uint32Array {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  return Uint32Array.from(primes, (prime) => (root(prime) % 1) * 2 ** 32);
}

const initialHash = fractionsOfRoots(Math.sqrt, 8);
const roundConstants = fractionsOfRoots(Math.cbrt, wordCount);

/**
 * Computes SHA-256 of a text in UTF-8, in hexadecimal. The contract runs in browsers too, where the platform's own
 * function is asynchronous, and a reducer cannot wait.
 */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  // One byte marks the end and eight contain the length.
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / blockSize) * blockSize);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const hash = Uint32Array.from(initialHash);
  const schedule = new Uint32Array(wordCount);
  for (let offset = 0; offset < padded.length; offset += blockSize) addBlock(hash, view, offset, schedule);
  return Array.from(hash, (word) => word.toString(16).padStart(8, "0")).join("");
}

function addBlock(hash: Uint32Array, view: DataView, offset: number, schedule: Uint32Array): void {
  const word = (at: number): number => schedule[at] ?? 0;
  for (let at = 0; at < 16; at += 1) schedule[at] = view.getUint32(offset + at * 4);
  for (let at = 16; at < wordCount; at += 1) {
    const [early, late] = [word(at - 15), word(at - 2)];
    const earlySum = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const lateSum = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[at] = word(at - 16) + earlySum + word(at - 7) + lateSum;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let at = 0; at < wordCount; at += 1) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const sumOfE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const sumOfA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const first = (h + sumOfE + choice + (roundConstants[at] ?? 0) + word(at)) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + sumOfA + majority) | 0];
  }
  for (const [at, value] of [a, b, c, d, e, f, g, h].entries()) hash[at] = (hash[at] ?? 0) + value;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
