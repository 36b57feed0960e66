export { type ServeAcpOptions, serveAcp } from "./acp/serve-acp.ts";
export { serveHttp, type ServeHttpOptions, type HttpService } from "./http/serve-http.ts";
export { isLoopback } from "./http/is-loopback.ts";
export type { Certificate } from "./http/tls/certificate.ts";
export { CertificateFiles, type CertificateFilesOptions } from "./http/tls/certificate-files.ts";
export { type IssuedToken, type TokenRequest, type TokenGrant, AccessTokens } from "./http/access/access-tokens.ts";
export { checkOrigin, type CheckedOrigin } from "./http/access/checked-origin.ts";
export { OneTimeCodes, type OneTimeCodesOptions } from "./http/access/one-time-codes.ts";
export {
  openObservability,
  type Observability,
  type ObservabilityOptions,
} from "./observability/open-observability.ts";
export type { FleetGauges, FleetMetrics } from "./observability/fleet-metrics.ts";
export { serveMetrics, type MetricsService, type ServeMetricsOptions } from "./observability/serve-metrics.ts";
export { serveShim, type ServeShimOptions } from "./shim/serve-shim.ts";
