import { Controller, type Type } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { ApiVersion } from "../../../contracts/http/versions.ts";
import { Operation, operationOf, type OperationSpec } from "../operation/operation.ts";

export interface ChangedAnswer {
  readonly schema: z.ZodType;
  readonly render: (value: unknown) => unknown;
}

/** What a version changes, by the schemas of version 1: every route that uses one of them changes. */
export interface VersionChanges {
  /** By version 1's body schema: this version's schema, which parses the body and returns version 1's form. */
  readonly bodies: ReadonlyMap<z.ZodType, z.ZodType>;
  readonly answers: ReadonlyMap<z.ZodType, ChangedAnswer>;
  /** Pointers of errors in version 1, with the corresponding pointers in this version's body. */
  readonly pointers: Readonly<Record<string, string>>;
  readonly example: (value: unknown) => unknown;
}

type Method = (...args: unknown[]) => unknown;
type Prototype = Record<string, Method>;

// Nest's metadata of a controller and its methods. Nest has no public way to copy a route.
const pathKey = "path";
const argumentsKey = "__routeArguments__";

/**
 * Mounts a controller of version 1 in another version: a subclass, so that both behave alike, with other schemas where
 * the version changes them.
 */
export function mountVersion(controller: Type, version: ApiVersion, changes: VersionChanges): Type {
  const mounted = { [controller.name]: class extends controller {} }[controller.name] as Type;
  const path = Reflect.getMetadata(pathKey, controller) as string;
  Controller(path.replace(/^v1(?=\/|$)/, version))(mounted);
  for (const name of Object.getOwnPropertyNames(controller.prototype)) {
    const method = (controller.prototype as Prototype)[name] as Method;
    const spec = operationOf(method);
    if (spec !== undefined) change(mounted, name, method, spec, changes);
  }
  return mounted;
}

function change(
  mounted: Type,
  name: string,
  method: Method,
  spec: OperationSpec,
  changes: VersionChanges,
): void {
  const changesBody = changeArguments(mounted, name, changes);
  const { answers } = spec;
  const answer = answers.schema === undefined ? undefined : changes.answers.get(answers.schema);
  if (answer === undefined && !changesBody) return;
  const changed = translateAnswers(method, answer?.render, changes.pointers);
  // The OpenAPI metadata is rebuilt below from the changed schemas.
  const kept = (Reflect.getMetadataKeys(method) as string[]).filter((key) => !key.startsWith("swagger/"));
  for (const key of kept) Reflect.defineMetadata(key, Reflect.getMetadata(key, method), changed);
  // Nest finds a route's arguments by the name of its method.
  Object.defineProperty(changed, "name", { value: name });
  Object.defineProperty(mounted.prototype, name, { value: changed, writable: true, configurable: true });
  const rendered =
    answers.schema === undefined ? answers : { ...answers, schema: answer?.schema ?? answers.schema };
  Operation({ ...spec, answers: rendered })(mounted.prototype as object, name, {
    value: changed,
  });
}

interface RouteArgument {
  readonly schema?: z.ZodType;
}

/** Replaces the schemas of the method's arguments. Returns true if one changed. */
function changeArguments(mounted: Type, name: string, { bodies }: VersionChanges): boolean {
  const all = Reflect.getMetadata(argumentsKey, mounted, name) as Record<string, RouteArgument> | undefined;
  const changed = Object.entries(all ?? {}).map(([index, argument]) => {
    const schema = argument.schema === undefined ? undefined : bodies.get(argument.schema);
    return [index, schema === undefined ? argument : { ...argument, schema }] as const;
  });
  if (changed.every(([index, argument]) => argument === all?.[index])) return false;
  Reflect.defineMetadata(argumentsKey, Object.fromEntries(changed), mounted, name);
  return true;
}

function translateAnswers(
  method: Method,
  render: ((value: unknown) => unknown) | undefined,
  pointers: Readonly<Record<string, string>>,
): Method {
  return async function (this: unknown, ...args: unknown[]) {
    try {
      const value = await method.apply(this, args);
      return render === undefined ? value : render(value);
    } catch (error) {
      throw error instanceof Refusal ? translatePointers(error, pointers) : error;
    }
  };
}

/** Services report errors with the pointers of version 1. */
function translatePointers(refusal: Refusal, pointers: Readonly<Record<string, string>>): Refusal {
  if (refusal.errors === undefined) return refusal;
  return new Refusal(refusal.code, refusal.message, {
    errors: refusal.errors.map((fault) => ({ ...fault, pointer: pointers[fault.pointer] ?? fault.pointer })),
    ...(refusal.context === undefined ? {} : { context: refusal.context }),
  });
}
