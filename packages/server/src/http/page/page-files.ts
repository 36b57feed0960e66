import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { ContentEncoding } from "./accepts-encoding.ts";

/** A file of the page beside its document: code, styles, an icon. */
export interface PageAsset {
  readonly mediaType: string;
  readonly bytes: Buffer<ArrayBuffer>;
  /** What the build compressed, smallest first. */
  readonly compressed: readonly (readonly [ContentEncoding, Buffer<ArrayBuffer>])[];
  /** Whether its name contains a digest of its content. */
  readonly isImmutable: boolean;
}

export interface PageFiles {
  /** The document, with a placeholder where the nonce of a response belongs. */
  readonly document: string;
  /** All other files by the path of their URL. */
  readonly assets: ReadonlyMap<string, PageAsset>;
}

/** A file with another extension is not served. */
const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

const compressedExtensions: readonly (readonly [ContentEncoding, string])[] = [
  ["br", ".br"],
  ["gzip", ".gz"],
];

/** The only folder of a built page. The names of its files contain digests. */
const assetFolder = "assets";

/**
 * Reads a built page into memory, or returns null if the folder has none. The server looks up the path of a request among
 * these files and never opens a file for it, so no path leads out of the folder. Links are left out for the same reason.
 */
export function readPageFiles(folder: string): PageFiles | null {
  const names = listFiles(folder);
  if (!names.includes("index.html")) return null;
  const assets = names.flatMap((name): [string, PageAsset][] => {
    const mediaType = mediaTypes[extname(name)];
    return mediaType === undefined ? [] : [[`/${name}`, readAsset(folder, name, mediaType, names)]];
  });
  return { document: readFileSync(join(folder, "index.html"), "utf8"), assets: new Map(assets) };
}

function readAsset(folder: string, name: string, mediaType: string, names: readonly string[]): PageAsset {
  const compressed = compressedExtensions
    .filter(([, extension]) => names.includes(name + extension))
    .map(([encoding, extension]) => [encoding, readFileSync(join(folder, name + extension))] as const);
  const isImmutable = name.startsWith(`${assetFolder}/`);
  return { mediaType, bytes: readFileSync(join(folder, name)), compressed, isImmutable };
}

function listFiles(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    const files = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []));
    if (!entries.some((entry) => entry.name === assetFolder && entry.isDirectory())) return files;
    const assets = readdirSync(join(folder, assetFolder), { withFileTypes: true });
    return [...files, ...assets.flatMap((entry) => (entry.isFile() ? [`${assetFolder}/${entry.name}`] : []))];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
