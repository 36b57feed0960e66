import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Builds the page into `dist/page`, which the daemon and gateways serve. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), compressAssets()],
  // The server replaces this word by a fresh nonce in each response that has the page.
  html: { cspNonce: "fairlead-nonce" },
  build: {
    outDir: "dist/page",
    emptyOutDir: true,
    target: "es2024",
    // The policy of the page allows no images or fonts as data, so all of them stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});

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
