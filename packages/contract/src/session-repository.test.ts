import { expect, test } from "vitest";
import { RepositorySource } from "./session-repository.ts";

const accepts = (url: string, ref = "main"): boolean => RepositorySource.safeParse({ url, ref }).success;

test.each([
  "https://example.com/team/project.git",
  "https://example.com:8443/project",
  "ssh://git@example.com/project.git",
  "ssh://example.com:2222/project.git",
  "git@example.com:team/project.git",
  "file:///srv/git/project.git",
  "/srv/git/my project.git",
])("accepts %s", (url) => expect(accepts(url)).toBe(true));

test.each([
  "ext::sh -c evil",
  "fd::17/foo",
  "http://example.com/project",
  "git://example.com/project",
  "transport::https://example.com/a",
  "git@host::/path",
  "user@ext::sh",
  "-oProxyCommand=evil",
  "--upload-pack=evil",
  "ssh://-oProxyCommand=evil/project",
  "ssh://-oProxyCommand=evil@example.com/project",
  "-oProxyCommand=evil@example.com:project",
  "git@-oProxyCommand=evil:project",
  "git@example.com:-project",
  "https://token@example.com/project",
  "https://user:password@example.com/project",
  "ssh://git:password@example.com/project",
  "https://example.com/project?access_token=secret",
  "https://example.com/project#secret",
  "https://example.com",
  "file://host/project",
  "relative/path",
  "project",
  "https://example.com/a\nb",
  "/srv/a\u0000b",
  "",
])("refuses %j", (url) => {
  const { error } = RepositorySource.safeParse({ url, ref: "main" });
  expect(error?.message).toContain("The URL of the repository");
  expect(error?.message).not.toContain("password@");
});

test.each(["main", "refs/heads/main", "v1.2", "feature/x", "HEAD", "a".repeat(40)])("accepts the ref %s", (ref) =>
  expect(accepts("/srv/git", ref)).toBe(true),
);

test.each(["-f", "--upload-pack=evil", "a..b", "a b", "main^", "main:other", "", "@{-1}", "a\nb", "/main"])(
  "refuses the ref %j",
  (ref) => expect(accepts("/srv/git", ref)).toBe(false),
);
