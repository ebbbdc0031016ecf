import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import {
  clearTestSink,
  createTestSink,
  createWebhookEndpoint,
  deleteTestSink,
  getTestSink,
  listTestSinkRequests,
  listTestSinks,
  updateTestSink,
} from "../../../typescript/sdk.gen.ts";
import type {
  TestSinkCreate,
  TestSinkPatch,
  TestSinkRequest,
  WebhookEndpointCreate,
} from "../../../typescript/types.gen.ts";
import { bodyOf } from "../client/call.ts";
import { useConfirmed } from "../client/confirmed.ts";
import { useWrite } from "../client/write.ts";

const limit = 100;
const waitSeconds = 10;
const retryMs = 3_000;

export function useSinks() {
  return useQuery({
    queryKey: ["test-sinks"],
    queryFn: async () => (await bodyOf(listTestSinks({ query: { limit } }))).data,
    refetchInterval: 5_000,
  });
}

export function useSink(id: string) {
  return useQuery({ queryKey: ["test-sink", id], queryFn: () => bodyOf(getTestSink({ path: { id } })) });
}

const requestsKey = (id: string) => ["sink-requests", id];

/** What the sink has received, newest first, followed live: each answer waits for the next request. */
export function useSinkRequests(id: string) {
  const client = useQueryClient();
  const requests = useQuery({
    queryKey: requestsKey(id),
    queryFn: async () => (await bodyOf(listTestSinkRequests({ path: { id }, query: { limit } }))).data,
  });
  const isRead = requests.data !== undefined;
  useEffect(() => {
    if (!isRead) return undefined;
    const page = new AbortController();
    const follow = async () => {
      while (!page.signal.aborted) {
        const after = newestOf(client.getQueryData<TestSinkRequest[]>(requestsKey(id)));
        try {
          const query = { after, wait: waitSeconds, limit };
          const { data } = await bodyOf(listTestSinkRequests({ path: { id }, query, signal: page.signal }));
          client.setQueryData<TestSinkRequest[]>(requestsKey(id), (known = []) => merged(known, data));
        } catch {
          if (!page.signal.aborted) await new Promise((resolve) => setTimeout(resolve, retryMs));
        }
      }
    };
    void follow();
    return () => page.abort();
  }, [client, id, isRead]);
  return requests;
}

function newestOf(requests: readonly TestSinkRequest[] | undefined): number {
  return requests?.[0]?.number ?? 0;
}

function merged(known: readonly TestSinkRequest[], found: readonly TestSinkRequest[]): TestSinkRequest[] {
  const fresh = found.filter(({ number }) => number > newestOf(known));
  return [...fresh.toReversed(), ...known].slice(0, limit);
}

export function useCreateSink() {
  return useWrite("create-sink", (body: TestSinkCreate, headers) =>
    bodyOf(createTestSink({ body, headers })),
  );
}

export function useUpdateSink(id: string) {
  return useWrite(`update-sink:${id}`, (body: TestSinkPatch, headers) =>
    bodyOf(updateTestSink({ path: { id }, body, headers })),
  );
}

export function useClearSink(id: string) {
  return useWrite(`clear-sink:${id}`, (_received: number, headers) =>
    bodyOf(clearTestSink({ path: { id }, headers })),
  );
}

export function useDeleteSink(id: string) {
  return useWrite(`delete-sink:${id}`, (_url: string, headers) =>
    bodyOf(deleteTestSink({ path: { id }, headers })),
  );
}

/** Makes the endpoint that sends events to the sink. */
export function useConnectSink() {
  return useConfirmed({
    about: (body: WebhookEndpointCreate) => ({ operation: "createWebhookEndpoint", body }),
    send: (body, headers) => bodyOf(createWebhookEndpoint({ body, headers })),
  });
}
