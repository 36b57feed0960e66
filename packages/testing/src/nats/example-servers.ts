import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NatsConnectionOptions } from "@fairlead/nats";
import { CertificateAuthority } from "../server/certificate-authority.ts";
import { NatsCluster } from "./nats-cluster.ts";
import type { NatsConfig } from "./nats-config.ts";

const folder = join(import.meta.dirname, "../../../../examples/fleet/");

/** A user of `examples/fleet/tenants.conf`. */
export type ExampleUser =
  | "acme-setup"
  | "acme-host-1"
  | "acme-gateway-1"
  | "globex-setup"
  | "globex-host-1"
  | "globex-gateway-1"
  | "checks";

/** Three servers with the configuration of `examples/fleet`: TLS, an account per tenant, and users with permissions. */
export class ExampleServers implements AsyncDisposable {
  readonly cluster: NatsCluster;
  readonly authority: CertificateAuthority;
  readonly #resources: AsyncDisposableStack;

  private constructor(cluster: NatsCluster, authority: CertificateAuthority, resources: AsyncDisposableStack) {
    this.cluster = cluster;
    this.authority = authority;
    this.#resources = resources;
  }

  static async start(): Promise<ExampleServers> {
    await using starting = new AsyncDisposableStack();
    const authority = starting.use(new CertificateAuthority());
    const routeAuthority = starting.use(new CertificateAuthority());
    const formatConfig = (config: NatsConfig): string => formatExampleConfig(config, authority, routeAuthority);
    const cluster = starting.use(await NatsCluster.start({ nodes: 3, formatConfig }));
    return new ExampleServers(cluster, authority, starting.move());
  }

  passwordOf(user: ExampleUser): string {
    return `${user}-secret`;
  }

  /** How a user of the example connects. */
  login(user: ExampleUser): NatsConnectionOptions {
    const { servers } = this.cluster;
    return { servers, user, password: this.passwordOf(user), tls: { ca: this.authority.pem } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}

/** Returns the configuration of the example with the values that its variables have on one machine of a test. */
function formatExampleConfig(
  { name, storeFolder, addresses, peers }: NatsConfig,
  authority: CertificateAuthority,
  routeAuthority: CertificateAuthority,
): string {
  const certificate = authority.issueFiles();
  const route = routeAuthority.issueFiles();
  const values: Readonly<Record<string, string>> = {
    SERVER_NAME: name,
    CLIENT_ADDRESS: addresses.client,
    CLUSTER_ADDRESS: addresses.peer,
    STORE_FOLDER: storeFolder,
    CERTIFICATE: certificate.certFile,
    KEY: certificate.keyFile,
    ROUTE_CERTIFICATE: route.certFile,
    ROUTE_KEY: route.keyFile,
    ROUTE_AUTHORITY: routeAuthority.file,
  };
  const servers = readFileSync(join(folder, "nats-server.conf"), "utf8").replace("include ./tenants.conf", "");
  const routed = peers.reduce((text, peer, index) => text.replace(`nats-${index + 1}.example:6222`, peer), servers);
  const tenants = readFileSync(join(folder, "tenants.conf"), "utf8");
  const passwords = [...tenants.matchAll(/user: ([\w-]+), password: \$(\w+)/g)].map(
    ([, user, variable]) => `${variable}: "${user}-secret"`,
  );
  // A variable that the environment does not have may be in the file.
  const variables = [...Object.entries(values).map(([key, value]) => `${key}: "${value}"`), ...passwords];
  return [...variables, `http: "${addresses.monitor}"`, routed, tenants].join("\n");
}
