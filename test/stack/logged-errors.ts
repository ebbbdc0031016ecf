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
  // A deadlock, or a lack of connections or memory, is no pause of the machine.
  if (err === undefined || /^(?:40|53)...$/.test((err as { code?: string }).code ?? "")) return false;
  return err.type === "TimeoutError" || isInfrastructureFault(Object.assign(new Error(err.message), err));
}
