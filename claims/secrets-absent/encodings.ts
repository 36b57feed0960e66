/** How a program writes a value: an encoding's name, the text, and the part of it that only the value determines. */
export interface EncodedValue {
  readonly encoding: string;
  readonly text: string;
  readonly known: string;
}

/** Encodes a value in the ways in which programs print it. */
export function encodeValue(value: string): readonly EncodedValue[] {
  const escape = (text: string): string => JSON.stringify(text).slice(1, -1);
  const whole = Object.entries({
    raw: value,
    json: escape(value),
    "json in json": escape(escape(value)),
    percent: encodeURIComponent(value),
    form: new URLSearchParams({ q: value }).toString().slice(2),
    hex: Buffer.from(value).toString("hex"),
    "upper-case hex": Buffer.from(value).toString("hex").toUpperCase(),
  }).map(([encoding, text]) => ({ encoding, text, known: text }));
  const base64 = (["base64", "base64url"] as const).flatMap((alphabet) =>
    ["", "a", "ab"].map((before) => {
      const text = Buffer.from(`${before}${value}cd`).toString(alphabet);
      return { encoding: `${alphabet} after ${before.length}`, text, known: text.slice(4, -4) };
    }),
  );
  return [...whole, ...base64];
}
