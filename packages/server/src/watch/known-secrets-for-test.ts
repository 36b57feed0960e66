/** Which of the secrets stand in a text, as they are or as they might have been encoded on their way. */
export function secretsIn(text: string, secrets: readonly string[]): string[] {
  return secrets.filter((secret) => forms(secret).some((form) => text.includes(form)));
}

function forms(secret: string): string[] {
  // Within something longer that was encoded, only the middle is the same: at each of the three offsets of base64.
  const base64 = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    return [bytes.toString("base64"), bytes.toString("base64url")].map((whole) => whole.slice(4, -4));
  });
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), ...base64];
}
