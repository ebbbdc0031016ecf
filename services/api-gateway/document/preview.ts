import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { NestFactory } from "@nestjs/core";
import { ApiGatewayModule } from "../api-gateway.module.ts";
import { gatewayConfig } from "../config.ts";

/**
 * Builds the application from its decorators only: creates no providers, and connects to neither database nor NATS.
 * `settings` are environment variables of the gateway, such as the versions that it serves.
 */
export function previewOf(settings: Readonly<Record<string, string>> = {}): Promise<NestFastifyApplication> {
  const nothing = Buffer.alloc(32).toString("base64");
  const config = gatewayConfig.parse({
    DATABASE_URL: "postgres://nowhere.invalid",
    NATS_URL: "nats://nowhere.invalid",
    NATS_USER: "nobody",
    NATS_PASSWORD: "nothing",
    PORT: "0",
    OPERATIONS_PORT: "0",
    LOG_LEVEL: "silent",
    ENCRYPTION_KEYS: `none:${nothing}`,
    FINGERPRINT_KEY: nothing,
    ...settings,
  });
  return NestFactory.create<NestFastifyApplication>(ApiGatewayModule.with(config), new FastifyAdapter(), {
    preview: true,
    logger: false,
  });
}
