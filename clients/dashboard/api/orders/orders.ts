import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { listPaymentOrders } from "../../../typescript/sdk.gen.ts";
import { startOfDay } from "../../parts/form/day.ts";
import type { OrderFilters } from "../../routes/orders/filters.ts";
import { bodyOf } from "../client/call.ts";

const pageSize = 50;

export function ordersQuery({ pages = [], ...filters }: OrderFilters) {
  const cursor = pages.at(-1);
  const query = { ...conditionsOf(filters), limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
  return queryOptions({
    queryKey: ["orders", query],
    queryFn: () => bodyOf(listPaymentOrders({ query })),
  });
}

/** The filters as the API names them. */
function conditionsOf({ fromCents, toCents, createdFrom, createdTo, ...same }: Omit<OrderFilters, "pages">) {
  return {
    ...same,
    ...(fromCents === undefined ? {} : { "amountCents[gte]": fromCents }),
    ...(toCents === undefined ? {} : { "amountCents[lte]": toCents }),
    ...(createdFrom === undefined ? {} : { "createdAt[gte]": startOfDay(createdFrom) }),
    ...(createdTo === undefined ? {} : { "createdAt[lt]": startOfDay(createdTo, 1) }),
  };
}

/** One page of orders, newest first. The page before stays until the next has come. */
export function useOrders(filters: OrderFilters) {
  return useQuery({ ...ordersQuery(filters), placeholderData: keepPreviousData });
}
