import { Notice } from "../frame/notice.js";

export function PlaygroundPage() {
  return <Notice title="Not here yet">This page is still to come.</Notice>;
}
