import { Notice } from "../frame/notice.js";

export function MapPage() {
  return <Notice title="Not here yet">This page is still to come.</Notice>;
}
