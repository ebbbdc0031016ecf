import { refusalOf, useApprovals } from "../../api/approvals/approvals.ts";

/** How much waits for this person: `0+` if nothing of what is listed does, and more waits that is not listed. */
export function WaitingApprovals() {
  const { data } = useApprovals();
  const mine = data?.entries.filter((entry) => refusalOf(entry) === undefined).length ?? 0;
  if (mine === 0 && data?.hasMore !== true) return null;
  return (
    <span className="count num">
      {mine}
      {data?.hasMore === true && "+"}
    </span>
  );
}
