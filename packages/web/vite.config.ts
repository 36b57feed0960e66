import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Builds the page into `dist/page`, which the daemon and gateways serve. */
export default defineConfig({
  root: import.meta.dirname,
  // The page validates nothing, so it needs the names and types of schemas only.
  resolve: { alias: { zod: join(import.meta.dirname, "src/app/schema-stand-in.ts") } },
  plugins: [react(), tailwindcss(), preloadStart(), compressAssets()],
  // The server replaces this word by a fresh nonce in each response that has the page.
  html: { cspNonce: "fairlead-nonce" },
  build: {
    outDir: "dist/page",
    emptyOutDir: true,
    target: "es2024",
    // The policy of the page allows no images or fonts as data, so all of them stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Otherwise the first view would be loaded as thirty files, most of them small.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: chooseFirstFile }] } } },
  },
});

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importers: readonly string[] } | null;
}

/** Puts what the entry needs into one file, and what the first elements need besides into another. */
function chooseFirstFile(id: string, graph: ModuleGraph): string | null {
  const importers = new Set([id]);
  for (const one of importers)
    for (const next of graph.getModuleInfo(one)?.importers ?? []) if (!next.endsWith("/index.ts")) importers.add(next);
  const isImportedBy = (name: string): boolean => importers.has(join(import.meta.dirname, "src", name));
  return isImportedBy("main.tsx") ? "main" : isImportedBy("start.tsx") ? "start" : null;
}

/** Lets the browser load the code of the elements beside the entry, which imports it after it has begun to connect. */
function preloadStart(): Plugin {
  return {
    name: "preload-start",
    transformIndexHtml: {
      order: "post",
      handler(_, { bundle = {} }) {
        const files = new Set(Object.values(bundle).flatMap((one) => (one.name === "start" ? [one.fileName] : [])));
        for (const file of files) {
          const chunk = bundle[file];
          if (chunk?.type === "chunk" && !chunk.isEntry) for (const next of chunk.imports) files.add(next);
        }
        return [...files].map((file) => ({
          tag: "link",
          attrs: { rel: "modulepreload", crossorigin: true, href: `/${file}` },
        }));
      },
    },
  };
}

/** Writes each asset also compressed, because the best compression takes too long for a response. */
function compressAssets(): Plugin {
  return {
    name: "compress-assets",
    writeBundle: ({ dir = "" }, bundle) => {
      for (const name of Object.keys(bundle).filter((file) => /\.(js|css|svg|json)$/.test(file))) {
        const file = join(dir, name);
        const bytes = readFileSync(file);
        for (const [extension, body] of [
          ["br", brotliCompressSync(bytes)],
          ["gz", gzipSync(bytes, { level: 9 })],
        ] as const)
          if (body.length < bytes.length) writeFileSync(`${file}.${extension}`, body);
      }
    },
  };
}
