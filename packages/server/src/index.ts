export { type ServeAcpOptions, serveAcp } from "./acp/serve-acp.ts";
export { lockFile } from "./files/lock-file.ts";
export { rewriteLocked } from "./files/rewrite-locked.ts";
export { serveHttp, type ServeHttpOptions, type HttpService } from "./http/serve-http.ts";
export { type TokenGrant, AccessTokens } from "./http/access/access-tokens.ts";
export {
  openObservability,
  type Observability,
  type ObservabilityOptions,
} from "./observability/open-observability.ts";
export { isLoopback, serveShim, type ServeShimOptions } from "./shim/serve-shim.ts";
