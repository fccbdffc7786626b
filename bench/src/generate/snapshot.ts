import type { Json, JsonObject, Manifest } from "./json.js";
import { manifestsOf } from "./manifests.js";
import type { Plan } from "./plan.js";
import { Random } from "./random.js";

/*
 * The objects of a plan as an API server returns them: verdicts do not depend on most of it, but it has to be
 * read.
 */
export function* snapshotOf(plan: Plan): Iterable<Manifest> {
  const random = new Random(plan.seed).fork("snapshot");
  for (const manifest of manifestsOf(plan))
    yield manifest.kind === "Pod" ? dressedPod(manifest, random) : dressed(manifest, random);
}

function dressed(manifest: Manifest, random: Random): Manifest {
  const { metadata } = manifest;
  return { ...manifest, metadata: sorted({ ...metadata, ...stored(random) }) };
}

/** What the API server adds to everything that it stores. */
function stored(random: Random): JsonObject {
  return {
    creationTimestamp: timestamp(random),
    resourceVersion: String(random.between(10_000_000, 99_999_999)),
    uid: uid(random),
  };
}

function dressedPod(manifest: Manifest, random: Random): Manifest {
  const { metadata } = manifest;
  const spec = manifest.spec as JsonObject;
  const status = manifest.status as JsonObject;
  const [owner] = metadata.ownerReferences as readonly JsonObject[];
  const [container] = spec.containers as readonly JsonObject[];
  const started = timestamp(random);
  return {
    ...manifest,
    metadata: sorted({
      ...metadata,
      ...stored(random),
      annotations: {
        "prometheus.io/scrape": "true",
      },
      managedFields: managedFields(started),
      ownerReferences: [sorted({ ...owner!, uid: uid(random) })],
    }),
    spec: sorted({
      ...spec,
      containers: [sorted({ ...container!, imagePullPolicy: "IfNotPresent" })],
      dnsPolicy: "ClusterFirst",
      restartPolicy: "Always",
    }),
    status: sorted({
      ...status,
      conditions: conditions(started),
      containerStatuses: [containerStatus(container!, started, random)],
      qosClass: "Burstable",
      startTime: started,
    }),
  };
}

/** The managers of the fields, which verdicts do not use. */
function managedFields(time: string): readonly Json[] {
  return [
    {
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:status": { "f:conditions": {}, "f:phase": {}, "f:podIP": {} } },
      manager: "kubelet",
      operation: "Update",
      subresource: "status",
      time,
    },
  ];
}

function conditions(time: string): readonly Json[] {
  return [{ lastTransitionTime: time, status: "True", type: "Ready" }];
}

function containerStatus({ name, image }: JsonObject, startedAt: string, random: Random): JsonObject {
  return {
    containerID: `containerd://${digest(random)}`,
    image: image!,
    imageID: `${(image as string).split(":")[0]}@sha256:${digest(random)}`,
    name: name!,
    ready: true,
    restartCount: random.below(3),
    state: { running: { startedAt } },
  };
}

function timestamp(random: Random): string {
  const two = (first: number, last: number) => String(random.between(first, last)).padStart(2, "0");
  return `2026-${two(1, 9)}-${two(1, 28)}T${two(0, 23)}:${two(0, 59)}:${two(0, 59)}Z`;
}

const digest = (random: Random): string => `${uid(random)}${uid(random)}`.replaceAll("-", "");

function uid(random: Random): string {
  const hex = () => random.bits().toString(16).padStart(8, "0");
  const digits = hex() + hex() + hex() + hex();
  return [8, 12, 16, 20, 32].map((end, i, ends) => digits.slice(ends[i - 1] ?? 0, end)).join("-");
}

/** As the API server writes: keys by the alphabet. */
function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
