import type { z } from "zod";
import type { auditEntry, me, person, personCreate, PersonPatch, roleProposal, session } from "../people.ts";
import { at, ids } from "./ids.ts";

const rosa = {
  id: ids.person,
  principal: "rosa",
  email: "rosa@acme.example",
  name: "Rosa Ortiz",
  status: "Active",
  roles: { Test: ["Viewer"], Live: [] },
  proposedRoles: { Test: ["Approver"], Live: [] },
  createdBy: "ida",
  createdAt: at(0),
  version: 1,
} satisfies z.output<typeof person>;

export const peopleExamples = {
  Person: rosa,
  PersonCreated: { ...rosa, password: "Zp3vW8qLr0TnYc5HsKdE" },
  PersonCreate: {
    principal: "rosa",
    email: "rosa@acme.example",
    name: "Rosa Ortiz",
    roles: ["Viewer"],
  } satisfies z.input<typeof personCreate>,
  PersonPatch: { roles: ["Viewer", "Approver"] } satisfies PersonPatch,
  RoleProposal: {
    id: ids.proposal,
    personId: ids.person,
    principal: "rosa",
    personName: "Rosa Ortiz",
    personEmail: "rosa@acme.example",
    personRoles: ["Viewer"],
    personCreatedBy: "ida",
    mode: "Test",
    roles: ["Approver"],
    hasApiKeys: false,
    status: "Open",
    proposedBy: "ida",
    proposedAt: at(0),
    decidedBy: null,
    decidedAt: null,
  } satisfies z.output<typeof roleProposal>,
  Session: {
    id: ids.session,
    address: "203.0.113.9",
    userAgent: "Mozilla/5.0",
    isCurrent: true,
    signedInAt: at(0),
    lastUsedAt: at(60_000),
    endsAt: at(43_200_000),
  } satisfies z.output<typeof session>,
  AuditEntry: {
    id: ids.auditEntry,
    at: at(0),
    mode: "Test",
    actor: "ida",
    action: "RolesProposed",
    objectId: ids.person,
    address: "203.0.113.9",
    requestId: "req_01jd3k60a2f8x9t4c1v5b7w3me",
    details: { roles: ["Approver"] },
  } satisfies z.output<typeof auditEntry>,
  Me: {
    principal: "rosa",
    mode: "Test",
    scopes: ["orders:read", "orders:approve", "ledger:read", "webhooks:read"],
    tenant: { id: ids.tenant, name: "Acme Freight" },
    person: {
      id: ids.person,
      name: "Rosa Ortiz",
      email: "rosa@acme.example",
      roles: { Test: ["Approver"], Live: [] },
      hasGivenPassword: false,
    },
    apiKeyId: null,
  } satisfies z.output<typeof me>,
};
