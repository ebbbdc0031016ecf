import type { Scope } from "../../../typescript/types.gen.ts";
import type { LinkProps } from "@tanstack/react-router";
import {
  ArrowDownLeft,
  ArrowRight,
  Ban,
  Book,
  Contact,
  FileText,
  Hash,
  Inbox,
  KeyRound,
  Scale,
  type LucideIcon,
  ScrollText,
  ShieldCheck,
  Users,
  Webhook,
  FlaskConical,
} from "lucide-react";
import type { ComponentType } from "react";
import { mode } from "../../book.ts";
import { WaitingApprovals } from "../status/waiting-approvals.tsx";
import { shellTexts } from "../../texts/shell.ts";

const { navigation } = shellTexts;

interface Entry {
  readonly to: NonNullable<LinkProps["to"]>;
  readonly text: string;
  readonly icon: LucideIcon;
  /** The scope that opens the screen. */
  readonly scope: Scope;
  /** A number beside the entry. */
  readonly badge?: ComponentType;
}

/** The navigation, from top to bottom. A new screen adds its line here and its route in router.tsx or router/. */
export const sections: readonly { readonly title: string; readonly entries: readonly Entry[] }[] = [
  {
    title: "",
    entries: [
      {
        to: "/approvals",
        text: navigation.approvals,
        icon: Inbox,
        scope: "orders:read",
        badge: WaitingApprovals,
      },
      { to: "/orders", text: navigation.orders, icon: ArrowRight, scope: "orders:read" },
      {
        to: "/counterparties",
        text: navigation.counterparties,
        icon: Contact,
        scope: "orders:read",
      },
      { to: "/inbound", text: navigation.inbound, icon: ArrowDownLeft, scope: "ledger:read" },
      { to: "/obligations", text: navigation.obligations, icon: FileText, scope: "ledger:read" },
    ],
  },
  {
    title: navigation.books,
    entries: [
      { to: "/ledger", text: navigation.ledger, icon: Book, scope: "ledger:read" },
      {
        to: "/virtual-accounts",
        text: navigation.virtualAccounts,
        icon: Hash,
        scope: "ledger:read",
      },
      { to: "/reconciliation", text: navigation.reconciliation, icon: Scale, scope: "ledger:read" },
    ],
  },
  {
    title: navigation.developers,
    entries: [
      { to: "/webhooks", text: navigation.webhooks, icon: Webhook, scope: "webhooks:read" },
      ...(mode === "Test"
        ? [{ to: "/simulator", text: navigation.simulator, icon: FlaskConical, scope: "simulate" } as const]
        : []),
      { to: "/api-keys", text: navigation.apiKeys, icon: KeyRound, scope: "keys:write" },
      { to: "/requests", text: navigation.requests, icon: Ban, scope: "webhooks:read" },
    ],
  },
  {
    title: navigation.controls,
    entries: [
      { to: "/policy", text: navigation.policy, icon: ShieldCheck, scope: "orders:read" },
      { to: "/people", text: navigation.people, icon: Users, scope: "people:write" },
      { to: "/audit-log", text: navigation.auditLog, icon: ScrollText, scope: "people:write" },
    ],
  },
];
