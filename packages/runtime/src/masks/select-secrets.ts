/** A named text, such as a variable of the environment or a setting. */
export type NamedText = readonly [name: string, text: string];

/** A shorter text is there by chance too often. */
const minLength = 8;
const secretNamePart =
  /^(?:.*(?:password|passwd|passphrase|secret|apikey|credentials?)|keys?|tokens?|auth|authorization|bearer|pass|pwd|pat|jwt|cookie|dsn|private)$/;
/** Values of at least `minLength` characters that people and programs use where no secret is needed. */
const commonTexts = new Set(
  (
    "anonymous automatic bearer-token changeme default development disabled example example-key localhost none-needed " +
    "not-needed notneeded optional password passw0rd placeholder production required test-key test-token undefined " +
    "unlimited username your-api-key"
  ).split(" "),
);

/**
 * Selects the secrets among named texts. A text whose name says that it is secret is one, unless it is shorter than 8
 * characters, a number of fewer than 16 digits, a common word or one of `ordinary`, such as the user's name, or a path
 * that exists. Of other texts, the password of a URL and the words that look random are secrets.
 */
export function selectSecrets(
  texts: Iterable<NamedText>,
  ordinary: ReadonlySet<string>,
  pathExists: (path: string) => boolean,
): string[] {
  const found = new Set<string>();
  for (const [name, text] of texts) {
    const isSecret = isSecretName(name) && !/^(?:\w+:\/\/|~?\/|\.{1,2}\/)/.test(text);
    const isSecretPath = isSecretName(name) && text.startsWith("/") && !pathExists(text);
    for (const secret of isSecret || isSecretPath ? [text] : [...findPasswords(text), ...findRandomWords(text)]) {
      if (!isTrivial(secret, ordinary)) found.add(secret);
    }
  }
  return [...found];
}

function isTrivial(text: string, ordinary: ReadonlySet<string>): boolean {
  if (text.length < minLength || ordinary.has(text) || commonTexts.has(text.toLowerCase())) return true;
  // A number, a date or a version; or one character, repeated.
  return (text.length < 16 && /^[\d.,:_-]+$/.test(text)) || /^(.)\1*$/.test(text);
}

/** Whether a part of a name is a word for a secret: `AGENT_API_KEY`, `env.githubToken`, `PGPASSWORD`. */
function isSecretName(name: string): boolean {
  const parts = name.replace(/([a-z\d])([A-Z])/g, "$1_$2").split(/[^A-Za-z\d]+/);
  return parts.some((part) => secretNamePart.test(part.toLowerCase()));
}

/** The user's part of a URL is a secret if there is no password: it is a token then. */
function findPasswords(text: string): string[] {
  const found = text.matchAll(/\b[a-z][a-z\d+.-]{0,20}:\/\/([^\s/?#@:]{1,1000})(?::([^\s/?#@]{1,1000}))?@/gi);
  return Array.from(found, ([, user = "", password]) => password ?? user).flatMap((one) => [one, decode(one)]);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Keys and tokens mix letters and digits without a separator; names of models and versions do not. */
function findRandomWords(text: string): string[] {
  return (text.match(/[\w.~+-]+/g) ?? []).filter((word) => word.split(/[^A-Za-z\d]/).some(looksRandom));
}

function looksRandom(run: string): boolean {
  const changes = run.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g)?.length ?? 0;
  return run.length >= 16 && changes >= 3;
}
