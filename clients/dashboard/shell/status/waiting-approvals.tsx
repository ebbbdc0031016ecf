import { refusalOf, useApprovals } from "../../api/approvals/approvals.ts";

/** How much waits for this person. */
export function WaitingApprovals() {
  const { data } = useApprovals();
  const mine = data?.entries.filter((entry) => refusalOf(entry) === undefined).length ?? 0;
  if (mine === 0) return null;
  return (
    <span className="count num">
      {mine}
      {data?.hasMore === true && "+"}
    </span>
  );
}
