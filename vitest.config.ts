import { defineConfig } from "vitest/config";

// Nest resolves what to inject from `design:paramtypes`, so the transformer has to write the same
// decorator metadata that tsc writes.
const oxc = { decorator: { legacy: true, emitDecoratorMetadata: true } };

export default defineConfig({
  oxc,
  test: {
    environment: "node",
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          include: ["{contracts,services,scripts}/**/*.spec.ts", "test/architecture.spec.ts"],
          exclude: ["**/*.db.spec.ts"],
        },
      },
    ],
  },
});
