export { pageFolder } from "@tierwall/ui";
