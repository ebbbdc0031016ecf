import { Body, Controller, Get, Inject, Param, Patch, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import {
  type PeopleQuery,
  peopleQuery,
  type Person,
  person,
  type PersonCreate,
  personCreate,
  type PersonCreated,
  personCreated,
  type PersonPatch,
  personPage,
  personPatch,
  type RoleProposal,
  roleProposal,
  roleProposalPage,
  type RoleProposalQuery,
  roleProposalQuery,
} from "../../../contracts/http/people.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import { isId, type PersonId, uuidOf } from "../../../contracts/ids/ids.ts";
import { Database } from "../../platform/persistence/database.ts";
import { pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import { SessionCache } from "../auth/key-cache.ts";
import { GATEWAY_CONFIG, type GatewayConfig } from "../config.ts";
import { parseProposalId } from "../keys/decide-proposal.ts";
import { SendApprovalRights } from "../keys/send-approval-rights.ts";
import { ifMatchVersions, setEntityTag } from "../http/entity-tag.ts";
import { type HttpContext, Http } from "../operation/http-context.ts";
import { noBody } from "../operation/no-body.ts";
import { Operation } from "../operation/operation.ts";
import { GatewayWrites } from "../upstream/gateway-writes.ts";
import { type Admin, changePerson, createPerson, decideRoles, personNotFound } from "./change-person.ts";
import { auditSourceOf } from "../audit/audit-source.ts";
import { listPeople, listRoleProposals, readPerson } from "./store/list-people.ts";

/** The resource by which Idempotency-Keys count. */
const resource = "people";
const personId = { id: "per" } as const;
const proposalId = { id: "prop" } as const;
const parsePersonId = (path: string): PersonId => {
  if (!isId("per", path)) throw personNotFound();
  return path;
};
const adminOf = (http: HttpContext): Admin => ({ caller: http.known, from: auditSourceOf(http.request) });

/** The tenant's people and their roles, managed by its admins. */
@ApiTags("People")
@Controller("v1/people")
export class PeopleController {
  readonly #writes: GatewayWrites;
  readonly #database: Database;
  readonly #known: SessionCache;
  readonly #rights: SendApprovalRights;
  readonly #providers: GatewayConfig["IDENTITY_PROVIDERS"];

  constructor(
    @Inject(GatewayWrites) writes: GatewayWrites,
    @Inject(Database) database: Database,
    @Inject(SessionCache) known: SessionCache,
    @Inject(SendApprovalRights) rights: SendApprovalRights,
    @Inject(GATEWAY_CONFIG) { IDENTITY_PROVIDERS }: GatewayConfig,
  ) {
    this.#writes = writes;
    this.#database = database;
    this.#known = known;
    this.#rights = rights;
    this.#providers = IDENTITY_PROVIDERS;
  }

  @Get()
  @Operation({
    id: "listPeople",
    summary: "List people",
    access: "people:write",
    takes: ["query"],
    answers: { status: 200, schema: personPage, as: "A page of people" },
  })
  async list(
    @Query({ schema: peopleQuery }) query: PeopleQuery,
    @Http() http: HttpContext,
  ): Promise<Page<Person>> {
    const asked = { ...query, list: "people" };
    const page = { after: uuidAfter(asked), limit: query.limit };
    const rows = await listPeople(this.#database.sql, http.known.tenant, page);
    const answer = pageOfRows(
      rows,
      query.limit,
      (row) => row,
      ({ id }) => uuidOf(id),
      asked,
    );
    http.linkTo(answer);
    return answer;
  }

  @Post()
  @Operation({
    id: "createPerson",
    summary: "Create a person",
    access: "people:write",
    takes: ["body"],
    writes: true,
    hasETag: true,
    answers: { status: 201, schema: personCreated, as: "The person" },
    refusals: ["name_taken", "self_approval_not_allowed"],
  })
  async create(
    @Body({ schema: personCreate }) body: PersonCreate,
    @Http() http: HttpContext,
  ): Promise<PersonCreated> {
    let password: string | null = null;
    const stored = await this.#writes.once(http, resource, async (unit) => {
      const made = await createPerson(unit, adminOf(http), body);
      // Where people sign in at their provider, a password opens nothing.
      password = Object.hasOwn(this.#providers, http.known.tenant) ? null : made.password;
      return made.person;
    });
    const created = person.parse(stored);
    http.setLocation(`/v1/people/${created.id}`);
    setEntityTag(http.reply, created.version);
    return { ...created, password };
  }

  @Get("role-proposals")
  @Operation({
    id: "listRoleProposals",
    summary: "List proposed roles",
    access: "people:write",
    takes: ["query"],
    answers: { status: 200, schema: roleProposalPage, as: "A page of proposals" },
  })
  async listProposals(
    @Query({ schema: roleProposalQuery }) query: RoleProposalQuery,
    @Http() http: HttpContext,
  ): Promise<Page<RoleProposal>> {
    const asked = { ...query, list: "role-proposals" };
    const rows = await listRoleProposals(this.#database.sql, http.known, query, uuidAfter(asked));
    const answer = pageOfRows(
      rows,
      query.limit,
      (row) => row,
      ({ id }) => uuidOf(id),
      asked,
    );
    http.linkTo(answer);
    return answer;
  }

  @Post("role-proposals/:id/approve")
  @Operation({
    id: "approveRoleProposal",
    summary: "Approve proposed roles",
    access: "people:write",
    path: proposalId,
    takes: ["body"],
    writes: true,
    answers: { status: 200, schema: roleProposal, as: "The proposal. The person has the roles now" },
    refusals: ["invalid_state_transition", "self_approval_not_allowed"],
  })
  approve(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: Record<string, never>,
    @Http() http: HttpContext,
  ): Promise<RoleProposal> {
    return this.#decide(http, id, "Approved");
  }

  @Post("role-proposals/:id/deny")
  @Operation({
    id: "denyRoleProposal",
    summary: "Deny proposed roles",
    access: "people:write",
    path: proposalId,
    takes: ["body"],
    writes: true,
    answers: { status: 200, schema: roleProposal, as: "The proposal" },
    refusals: ["invalid_state_transition"],
  })
  deny(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: Record<string, never>,
    @Http() http: HttpContext,
  ): Promise<RoleProposal> {
    return this.#decide(http, id, "Denied");
  }

  @Get(":id")
  @Operation({
    id: "getPerson",
    summary: "Read a person",
    access: "people:write",
    path: personId,
    hasETag: true,
    answers: { status: 200, schema: person, as: "The person" },
  })
  async read(@Param("id") id: string, @Http() http: HttpContext): Promise<Person> {
    const found = await readPerson(this.#database.sql, http.known.tenant, parsePersonId(id));
    if (found === undefined) throw personNotFound();
    setEntityTag(http.reply, found.version);
    return found;
  }

  @Patch(":id")
  @Operation({
    id: "updatePerson",
    summary: "Change a person",
    access: "people:write",
    path: personId,
    takes: ["body"],
    writes: true,
    hasETag: true,
    takesIfMatch: true,
    answers: { status: 200, schema: person, as: "The person" },
    refusals: ["invalid_state_transition", "self_approval_not_allowed"],
  })
  async update(
    @Param("id") id: string,
    @Body({ schema: personPatch }) body: PersonPatch,
    @Http() http: HttpContext,
  ): Promise<Person> {
    const versions = ifMatchVersions(http.request);
    const stored = await this.#writes.once(http, resource, (unit) =>
      changePerson(unit, adminOf(http), parsePersonId(id), body, versions),
    );
    const changed = person.parse(stored);
    this.#known.clear();
    await this.#rights.sendOrRefuse(http, [changed.principal], "The person is changed.");
    setEntityTag(http.reply, changed.version);
    return changed;
  }

  async #decide(http: HttpContext, id: string, status: "Approved" | "Denied"): Promise<RoleProposal> {
    const decided = await this.#writes.once(http, resource, (unit) =>
      decideRoles(unit, adminOf(http), parseProposalId(id), status),
    );
    this.#known.clear();
    await this.#rights.send(http, [decided.principal]);
    return decided;
  }
}
