import { Inject, Injectable } from "@nestjs/common";
import type { NestFastifyApplication } from "@nestjs/platform-fastify";
import { type ApiVersion, currentVersion } from "../../../contracts/http/versions.ts";
import { GATEWAY_CONFIG, type GatewayConfig } from "../config.ts";
import { ServedText } from "../http/served-text.ts";
import { writeDocument } from "./write.ts";
import { inVersion } from "../versions/versions.ts";
import { isDeprecated } from "../http/versioning.ts";

/** The OpenAPI 3.1 documents of the versions that are served. Each is written at its first request. */
@Injectable()
export class OpenApiDocument {
  #app: NestFastifyApplication | undefined;
  readonly #written = new Map<ApiVersion, ServedText>();
  readonly #config: GatewayConfig;

  constructor(@Inject(GATEWAY_CONFIG) config: GatewayConfig) {
    this.#config = config;
  }

  /** Sets the application whose routes it describes. */
  describe(app: NestFastifyApplication): void {
    this.#app = app;
  }

  get(version: ApiVersion = currentVersion): ServedText {
    if (this.#app === undefined)
      throw new Error("the document was requested before describe() set the application");
    const { DEPRECATIONS } = this.#config;
    const known = this.#written.get(version);
    if (known !== undefined) return known;
    const document = writeDocument(this.#app, version, {
      translate: inVersion(version),
      isDeprecated: (operationId) => isDeprecated(DEPRECATIONS, version, operationId),
    });
    const served = new ServedText(JSON.stringify(document), {
      "content-type": "application/json; charset=utf-8",
    });
    this.#written.set(version, served);
    return served;
  }
}
