import type { TextSource } from "@tierwall/core";

const isManifest = (name: string): boolean => /\.(ya?ml|json)$/i.test(name);

/** The manifests among what was dropped, folders with all that is in them. */
export async function readDropped({ items }: Pick<DataTransfer, "items">): Promise<readonly TextSource[]> {
  // The list is gone after the first wait.
  const dropped = Array.from(items, (item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const found = await Promise.all(
    dropped.filter((entry) => entry !== null).map((entry) => manifestsIn(entry)),
  );
  return found.flat().toSorted((a, b) => (a.file < b.file ? -1 : 1));
}

async function manifestsIn(entry: FileSystemEntry | File): Promise<readonly TextSource[]> {
  if (entry instanceof File) return manifestIn(entry, entry.name);
  if (isFolder(entry)) {
    const inside = await entriesOf(entry);
    return (await Promise.all(inside.map((inner) => manifestsIn(inner)))).flat();
  }
  if (!isFile(entry)) return [];
  const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
  return manifestIn(file, entry.fullPath.replace(/^\//, ""));
}

async function manifestIn(file: File, path: string): Promise<readonly TextSource[]> {
  return isManifest(path) ? [{ file: path, text: await file.text() }] : [];
}

/** A folder gives its entries in portions; an empty one is the last. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (portion.length === 0) return all;
    all.push(...portion);
  }
}

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
