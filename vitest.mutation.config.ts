import { defineConfig } from "vitest/config";

/** For `npm run mutation`: only the tests that judge what is mutated. Without projects, since Stryker runs one. */
export default defineConfig({
  test: {
    include: ["packages/{contract,kit}/src/**/*.test.ts", "test/every-adapter.test.ts"],
    testTimeout: 30_000,
  },
});
