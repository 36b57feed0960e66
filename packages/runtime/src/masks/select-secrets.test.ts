import { expect, test } from "vitest";
import { selectSecrets } from "./select-secrets.ts";

const find = (name: string, text: string): string[] =>
  selectSecrets([[name, text]], new Set(["my-user-name", "/home/me"]), (path) => path === "/home/me/key.json");

test.each([
  ["AGENT_API_KEY", "sk-ab-api03-abc"],
  ["env.githubToken", "correct horse battery"],
  ["PGPASSWORD", "hunter22"],
  ["AWS_SECRET_ACCESS_KEY", "/wJalrXUtnFEMI/K7MDENG/bPxRfiCY"],
  ["AUGMENT_SESSION_AUTH", '{"accessToken":"x"}'],
  ["options.password", "1234567890123456"],
])("%s is secret as a whole", (name, text) => {
  expect(find(name, text)).toEqual([text]);
});

test.each([
  ["API_KEY", "short"],
  ["API_KEY", "true"],
  ["API_KEY", "not-needed"],
  ["API_KEY", "my-user-name"],
  ["API_KEY", "xxxxxxxxxxxx"],
  ["MAX_OUTPUT_TOKENS", "123456789"],
  ["GOOGLE_APPLICATION_CREDENTIALS", "/home/me/key.json"],
  ["TOKEN_FILE", "~/keys/token"],
  ["NODE_ENV", "production-like"],
  ["options.model", "some-model-4-5-20250929"],
  ["options.base-url", "https://api.example.org/v1/messages"],
  ["AWS_REGION", "us-east-1"],
  ["options.id", "0b9f3c1e-7d52-4a5f-9a3e-2f1b6c8d7e90"],
])("%s=%s is not secret", (name, text) => {
  expect(find(name, text)).toEqual([]);
});

test("passwords and random words in other texts are secret", () => {
  expect(find("DATABASE_URL", "postgres://me:p%40ssw0rd-9@db.example.org/app")).toEqual(["p%40ssw0rd-9", "p@ssw0rd-9"]);
  expect(find("HTTPS_PROXY", "http://secret-token@proxy:3128")).toEqual(["secret-token"]);
  expect(find("options.base-url", "http://127.0.0.1:1/a1b2c3d4e5f6a7b8c9d0")).toEqual(["a1b2c3d4e5f6a7b8c9d0"]);
  expect(find("CUSTOM_HEADERS", "x-key: sk-ab-q1w2e3r4t5y6u7i8o9\nx-name: me")).toEqual(["sk-ab-q1w2e3r4t5y6u7i8o9"]);
});
