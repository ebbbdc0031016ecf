import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  advanceClock,
  correctBankStatementFault,
  createBankStatementFault,
  createInjection,
  endInjection,
  getClock,
  getClockAdvance,
  getSimulatedRails,
  listBankStatementFaults,
  listInjections,
  listSimulationLog,
  listVirtualAccounts,
  putClock,
  simulateInboundPayment,
} from "../../../typescript/sdk.gen.ts";
import type {
  BankStatementFaultCreate,
  ClockAdvanceCreate,
  ClockPut,
  InboundSimulation,
  InjectionCreate,
} from "../../../typescript/types.gen.ts";
import { bodyOf } from "../client/call.ts";
import { useMay } from "../people/me.ts";
import { useWrite } from "../client/write.ts";

const limit = 50;
/** The stream says nothing of the simulation itself. */
const refetchInterval = 5_000;

/** The addresses of the simulator's operations, for curl. */
export const paths = {
  clock: "/v1/simulations/clock",
  advance: "/v1/simulations/clock/advance",
  inbound: "/v1/simulations/inbound-payments",
  rules: "/v1/simulations/injections",
  rule: (id: string) => `/v1/simulations/injections/${id}`,
  statementErrors: "/v1/simulations/bank-statement-faults",
  correct: (id: string) => `/v1/simulations/bank-statement-faults/${id}/correct`,
} as const;

export function useClock() {
  return useQuery({ queryKey: ["clock"], queryFn: () => bodyOf(getClock()), refetchInterval });
}

export function useSetClock() {
  return useWrite("clock", (body: ClockPut, headers) => bodyOf(putClock({ body, headers })));
}

export function useAdvanceClock() {
  return useWrite("advance-clock", (body: ClockAdvanceCreate, headers) =>
    bodyOf(advanceClock({ body, headers })),
  );
}

/** An advance; read again twice a second until it has arrived. */
export function useClockAdvance(id: string | null) {
  return useQuery({
    queryKey: ["clock-advance", id],
    queryFn: () => bodyOf(getClockAdvance({ path: { id: id ?? "" } })),
    enabled: id !== null,
    refetchInterval: ({ state: { data } }) => (data?.status === "Done" ? false : 500),
  });
}

export function useRails() {
  return useQuery({
    queryKey: ["simulated-rails"],
    queryFn: async () => (await bodyOf(getSimulatedRails())).data,
    refetchInterval,
  });
}

/** Numbers to send money to. Any other can be typed. */
export function useOwnNumbers() {
  const may = useMay("ledger:read");
  return useQuery({
    queryKey: ["virtual-accounts", "numbers"],
    queryFn: async () => (await bodyOf(listVirtualAccounts({ query: { limit: 100 } }))).data,
    enabled: may,
  });
}

export function useSimulateInbound() {
  return useWrite("simulate-inbound", (body: InboundSimulation, headers) =>
    bodyOf(simulateInboundPayment({ body, headers })),
  );
}

export function useRules() {
  return useQuery({
    queryKey: ["injections"],
    queryFn: async () => (await bodyOf(listInjections({ query: { limit: 100 } }))).data,
    refetchInterval,
  });
}

export function useCreateRule() {
  return useWrite("create-rule", (body: InjectionCreate, headers) =>
    bodyOf(createInjection({ body, headers })),
  );
}

export function useEndRule() {
  return useWrite("end-rule", (id: string, headers) => bodyOf(endInjection({ path: { id }, headers })));
}

export function useStatementErrors() {
  return useQuery({
    queryKey: ["statement-errors"],
    queryFn: async () => (await bodyOf(listBankStatementFaults({ query: { limit } }))).data,
    refetchInterval,
  });
}

export function useCreateStatementError() {
  return useWrite("create-statement-error", (body: BankStatementFaultCreate, headers) =>
    bodyOf(createBankStatementFault({ body, headers })),
  );
}

export function useCorrectStatementError() {
  return useWrite("correct-statement-error", (id: string, headers) =>
    bodyOf(correctBankStatementFault({ path: { id }, headers })),
  );
}

/** One page of what was done to the simulation, newest first. */
export function useSimulationLog(pages: readonly string[]) {
  const cursor = pages.at(-1);
  const query = { limit, ...(cursor === undefined ? {} : { cursor }) };
  return useQuery({
    queryKey: ["simulation-log", query],
    queryFn: () => bodyOf(listSimulationLog({ query })),
    placeholderData: keepPreviousData,
    refetchInterval,
  });
}
