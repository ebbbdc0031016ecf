import { isInfrastructureFault } from "../../services/platform/persistence/infrastructure-fault.ts";

/**
 * The lines of level error or fatal, without those that name a failure of the database or of NATS: on a slow machine a
 * connection is lost, and a lock or an acknowledgement takes too long. The services try again.
 */
export function loggedErrors(lines: readonly string[]): string[] {
  return lines.filter((line) => /"level":"(?:error|fatal)"/.test(line) && !namesInfrastructure(line));
}

function namesInfrastructure(line: string): boolean {
  const { err } = JSON.parse(line.slice(line.indexOf("{"))) as { err?: Partial<Error> & { type?: string } };
  if (err === undefined) return false;
  return err.type === "TimeoutError" || isInfrastructureFault(Object.assign(new Error(err.message), err));
}
