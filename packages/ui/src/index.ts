/** The built page: index.html and all that it asks for. */
export const pageFolder = new URL("../page/", import.meta.url);

export { matrixHtml } from "./matrix-html.js";
