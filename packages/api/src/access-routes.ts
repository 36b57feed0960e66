import { queryDefaults, type Route } from "./route.ts";
import { CodeExchange, CodeRequest, CodeView, GrantView, SignedInView } from "./views/grant.ts";

/** The routes about what a caller may do. They call no method of `Fairlead`, which has no callers but its own process. */
export const accessRoutes = {
  grant: {
    ...queryDefaults,
    path: "/v1/grant",
    scope: "any",
    reply: GrantView,
    args: null,
    summary: "Get what the token of the caller permits, and when it expires.",
  },
  createCode: {
    ...queryDefaults,
    method: "POST",
    path: "/v1/codes",
    scope: "admin",
    body: CodeRequest,
    reply: CodeView,
    args: null,
    summary: "Issue a one-time code for a token that expires.",
  },
  // Not retriable: after a lost connection, the client cannot know whether the service has used the code up.
  exchangeCode: {
    ...queryDefaults,
    method: "POST",
    path: "/v1/grant",
    scope: "none",
    retriable: false,
    body: CodeExchange,
    reply: SignedInView,
    args: null,
    summary: "Exchange a one-time code for a token that expires.",
  },
} as const satisfies Record<string, Route>;
