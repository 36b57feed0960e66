import { z } from "zod";
import { ownValue } from "../json/own-value.ts";

/** What a file is that an agent made. */
export const ArtifactKind = z.enum(["test", "code", "document", "config", "other"]);
export type ArtifactKind = z.infer<typeof ArtifactKind>;

const kindByExtension: Readonly<Record<string, ArtifactKind>> = {
  ...mapExtensions("code", "ts", "js", "py", "rs", "go", "java", "tsx", "jsx"),
  ...mapExtensions("document", "md", "txt", "rst"),
  ...mapExtensions("config", "json", "yaml", "yml", "toml", "ini", "cfg"),
};

/** Guesses the kind of a file from its name. Tests take precedence: `foo.test.ts` is a test and not code. */
export function artifactKindOf(path: string): ArtifactKind {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (name.includes(".test.") || name.includes(".spec.") || name.startsWith("test_")) return "test";
  const dot = name.lastIndexOf(".");
  return (dot >= 0 ? ownValue(kindByExtension, name.slice(dot + 1)) : undefined) ?? "other";
}

function mapExtensions(kind: ArtifactKind, ...extensions: readonly string[]): Record<string, ArtifactKind> {
  return Object.fromEntries(extensions.map((name) => [name, kind]));
}
