import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scope } from "@fairlead/api";
import { FileTokenStore } from "@fairlead/engine";
import { AccessTokens } from "../../../server/src/http/access/access-tokens.ts";
import { serveHttp } from "../../../server/src/http/serve-http.ts";
import { CertificateAuthority } from "../server/certificate-authority.ts";
import { ServiceTestHome } from "../service/service-test-home.ts";

/** A host with real sessions, served over TLS, for commands with `FAIRLEAD_URL`. Disposing it stops its sessions. */
export class RemoteHost implements AsyncDisposable {
  readonly #home = new ServiceTestHome();
  readonly #authority = new CertificateAuthority();
  readonly #tokensFile = join(this.#home.folder, "tokens.json");
  readonly #tokens = new AccessTokens(new FileTokenStore(this.#tokensFile));
  readonly #resources = new AsyncDisposableStack();
  /** A folder of the host. */
  readonly workspace = join(this.#home.folder, "workspace");
  /** The file of the authority that signed the certificate. */
  readonly caFile = this.#authority.file;
  url = "";

  static async open(): Promise<RemoteHost> {
    const host = new RemoteHost();
    mkdirSync(host.workspace);
    const fairlead = await host.#home.open();
    const listen = { host: "127.0.0.1", port: 0 };
    const tls = host.#authority.issue();
    const service = await serveHttp({ fairlead, version: "0.0.0", tokens: host.#tokens, listen, tls });
    host.#resources.use(host.#authority);
    host.#resources.use(host.#home);
    host.#resources.use(service);
    host.url = service.listenUrl ?? "";
    return host;
  }

  /** Returns the variables of a command that uses the host with a new token. */
  async variables(scopes: readonly Scope[], label = "test"): Promise<Record<string, string>> {
    const token = await this.#tokens.issue({ label, scopes });
    return { FAIRLEAD_URL: this.url, FAIRLEAD_TOKEN: token, FAIRLEAD_CA: this.caFile };
  }

  async revoke(label: string): Promise<void> {
    await this.#tokens.revoke(label);
  }

  /** Makes all tokens unreadable until disposal, as they are at a gateway whose servers are away. */
  hideTokens(): Disposable {
    const tokens = readFileSync(this.#tokensFile);
    writeFileSync(this.#tokensFile, "[{}]");
    return { [Symbol.dispose]: () => writeFileSync(this.#tokensFile, tokens) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}
