/** Text for an attribute or an element of XML, without the characters that XML cannot hold. */
export function escapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
  };
  return text.replace(notInXml, "\uFFFD").replace(/[&<>"]/g, (c) => entities[c]!);
}

/** Control characters but for tab and line breaks. */
const notInXml = /[^\t\n\r\P{Cc}]/gu;
