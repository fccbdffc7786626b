import { setOrDelete } from "../../collections/maps.js";
import type { Identified } from "../../cluster/identity.js";
import type { Facts, Service, ServiceEndpoint } from "../../cluster/model.js";
import { readEndpointSlice, readService } from "../../cluster/service.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { compareText } from "../../policy/assemble.js";
import { sameValue } from "./same-value.js";

interface Slice {
  readonly service: string;
  readonly endpoints: readonly ServiceEndpoint[];
}

/** S7.5: its endpoints are the API servers. */
const apiServerService = "default/kubernetes";

/** All Services, each with the endpoints of its slices. */
export class LiveServices {
  private readonly written = new Map<string, Omit<Service, "endpoints">>();
  private readonly slices = new Map<string, Slice>();
  private readonly slicesOf = new Map<string, Set<string>>();
  private readonly changed = new Set<string>();
  private readonly joined = new Map<string, Service>();
  private all: readonly Service[] = [];
  private known: Facts;

  constructor(private readonly given: Facts) {
    this.known = given;
  }

  set(key: string, object: Identified | undefined, diagnostics: Diagnostic[]): void {
    setOrDelete(this.written, key, object && readService(object, diagnostics));
    this.changed.add(key);
  }

  setSlice(key: string, object: Identified | undefined): void {
    this.removeSlice(key);
    const read = object && readEndpointSlice(object);
    if (read === undefined) return;
    const service = `${object!.namespace}/${read.service}`;
    this.slices.set(key, { service, endpoints: read.endpoints });
    this.slicesOf.set(service, (this.slicesOf.get(service) ?? new Set()).add(key));
    this.changed.add(service);
  }

  private removeSlice(key: string): void {
    const slice = this.slices.get(key);
    if (slice === undefined) return;
    this.slices.delete(key);
    const others = this.slicesOf.get(slice.service)!;
    others.delete(key);
    if (others.size === 0) this.slicesOf.delete(slice.service);
    this.changed.add(slice.service);
  }

  settle(): { readonly services: readonly Service[]; readonly facts: Facts } {
    let isOther = false;
    for (const key of this.changed) {
      const service = this.serviceCalled(key);
      if (sameValue(service, this.joined.get(key))) continue;
      isOther = true;
      setOrDelete(this.joined, key, service);
    }
    if (isOther)
      this.all = [...this.joined].toSorted(([a], [b]) => compareText(a, b)).map(([, service]) => service);
    if (this.changed.has(apiServerService)) this.learnApiServer();
    this.changed.clear();
    return { services: this.all, facts: this.known };
  }

  private serviceCalled(key: string): Service | undefined {
    const [written, endpoints] = [this.written.get(key), this.endpointsOf(key)];
    return written === undefined || endpoints === undefined ? written : { ...written, endpoints };
  }

  /** Undefined where there are no slices at all. */
  private endpointsOf(service: string): readonly ServiceEndpoint[] | undefined {
    const slices = this.slicesOf.get(service);
    return slices && [...slices].toSorted(compareText).flatMap((key) => this.slices.get(key)!.endpoints);
  }

  private learnApiServer(): void {
    const endpoints = this.endpointsOf(apiServerService);
    if (this.given.apiServer !== undefined) return;
    const facts =
      endpoints === undefined
        ? this.given
        : { ...this.given, apiServer: endpoints.map(({ address }) => address) };
    if (!sameValue(facts, this.known)) this.known = facts;
  }
}
