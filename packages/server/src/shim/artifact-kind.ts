export type ArtifactKind = "test" | "code" | "document" | "config" | "other";

const endings: Readonly<Record<string, ArtifactKind>> = {
  ...kindOf("code", "ts", "js", "py", "rs", "go", "java", "tsx", "jsx"),
  ...kindOf("document", "md", "txt", "rst"),
  ...kindOf("config", "json", "yaml", "yml", "toml", "ini", "cfg"),
};

/** What a file is, by its name alone. Tests come first: `foo.test.ts` is a test before it is code. */
export function artifactKind(path: string): ArtifactKind {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (name.includes(".test.") || name.includes(".spec.") || name.startsWith("test_")) return "test";
  const dot = name.lastIndexOf(".");
  return (dot >= 0 ? endings[name.slice(dot + 1)] : undefined) ?? "other";
}

function kindOf(kind: ArtifactKind, ...names: readonly string[]): Record<string, ArtifactKind> {
  return Object.fromEntries(names.map((name) => [name, kind]));
}
