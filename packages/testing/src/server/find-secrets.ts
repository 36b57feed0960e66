/** Returns the secrets that a text contains, in plain form or in a common encoding. */
export function findSecrets(text: string, secrets: readonly string[]): string[] {
  return secrets.filter((secret) => encodedForms(secret).some((form) => text.includes(form)));
}

function encodedForms(secret: string): string[] {
  // Base64 of a secret inside a longer text depends on the offset (modulo 3), and only the middle is stable.
  const base64 = [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    return [bytes.toString("base64"), bytes.toString("base64url")].map((encoded) => encoded.slice(4, -4));
  });
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), ...base64];
}
