import { Notice } from "../frame/notice.js";

export function PoliciesPage() {
  return <Notice title="Not here yet">This page is still to come.</Notice>;
}
