import { Inject, Injectable } from "@nestjs/common";
import type { NestFastifyApplication } from "@nestjs/platform-fastify";
import type { OpenAPIObject } from "@nestjs/swagger";
import { type ApiVersion, currentVersion } from "../../../contracts/http/versions.ts";
import { GATEWAY_CONFIG, type GatewayConfig } from "../config.ts";
import { writeDocument } from "./write.ts";
import { inVersion } from "../versions/versions.ts";
import { isDeprecated } from "../http/versioning.ts";

/** The OpenAPI 3.1 documents of the versions that are served. Each is written at its first request. */
@Injectable()
export class OpenApiDocument {
  #app: NestFastifyApplication | undefined;
  readonly #written = new Map<ApiVersion, OpenAPIObject>();
  readonly #config: GatewayConfig;

  constructor(@Inject(GATEWAY_CONFIG) config: GatewayConfig) {
    this.#config = config;
  }

  /** Sets the application whose routes it describes. */
  describe(app: NestFastifyApplication): void {
    this.#app = app;
  }

  get(version: ApiVersion = currentVersion): OpenAPIObject {
    if (this.#app === undefined)
      throw new Error("the document was requested before describe() set the application");
    const { DEPRECATIONS } = this.#config;
    const document =
      this.#written.get(version) ??
      writeDocument(this.#app, version, {
        translate: inVersion(version),
        isDeprecated: (operationId) => isDeprecated(DEPRECATIONS, version, operationId),
      });
    this.#written.set(version, document);
    return document;
  }
}
