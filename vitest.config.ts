import { defineConfig } from "vitest/config";

/** Fast tests run anywhere; real ones drive vendors' programs and run only inside `scripts/offline`. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "fast",
          include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: ["**/*.real.test.ts", "**/node_modules/**"],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "real",
          include: ["packages/*/src/**/*.real.test.ts", "test/**/*.real.test.ts"],
          testTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
