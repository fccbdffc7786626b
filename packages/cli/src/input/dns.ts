import type { Diagnostic } from "@tierwall/core";
import { diagnostic, parseManifest } from "@tierwall/core/manifest";
import { type Address, type DnsRecord, parseAddress } from "@tierwall/core/model";
import { unreadable, writtenText } from "@tierwall/kube";

/** `--dns FILE`: a mapping of names to the address or addresses they resolve to. */
export function readDnsRecords(file: string): {
  readonly records: readonly DnsRecord[];
  readonly diagnostics: readonly Diagnostic[];
} {
  let text: string;
  try {
    text = writtenText(file);
  } catch (cause) {
    return { records: [], diagnostics: [unreadable(file, cause)] };
  }
  const { documents, diagnostics } = parseManifest(text, file);
  const found: Diagnostic[] = [...diagnostics];
  const records = documents.flatMap((document) => {
    const { value } = document;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      found.push(
        diagnostic(
          "TW1003",
          "DNS records are a mapping of names to addresses, as in `example.com: [192.0.2.1]`",
          { place: document.placeOf([]) },
        ),
      );
      return [];
    }
    return Object.entries(value).map(([name, given]): DnsRecord => {
      const listed: readonly unknown[] = Array.isArray(given) ? given : [given];
      const addresses = listed.flatMap((item, i): Address[] => {
        const address = typeof item === "string" ? parseAddress(item) : undefined;
        if (address !== undefined) return [address];
        const place = document.placeOf(Array.isArray(given) ? [name, i] : [name]);
        found.push(
          diagnostic(
            "TW1309",
            `\`${typeof item === "string" ? item : JSON.stringify(item)}\` is not an IP address`,
            { place, path: [name] },
          ),
        );
        return [];
      });
      return { name, addresses };
    });
  });
  return { records, diagnostics: found };
}
