import { type Diagnostic, hasErrors } from "@tierwall/core";
import type { LiveOptions, Moment } from "@tierwall/core/state";
import {
  Delivery,
  type DeliveryTimes,
  isSameMoment,
  type Situation,
  situationOf,
  type SituationSource,
  WatchedFolders,
} from "@tierwall/kube";
import { ManifestFolder } from "./manifest-folder.js";

export interface FileSourceOptions extends LiveOptions {
  /** Files and folders, as `-f` names them. */
  readonly paths: readonly string[];
  /** Also what lies in folders of folders. */
  readonly recursive?: boolean;
  /** Told when there are errors, and once more, with none, when they are mended. Until then all stays as it was. */
  readonly onErrors?: (errors: readonly Diagnostic[]) => void;
  /** How often files are looked at though nothing was heard of them. */
  readonly rescanMilliseconds?: number;
  readonly delivery?: DeliveryTimes;
}

/** Who writes several files, or a long one, is given a moment. */
const fileDelivery: DeliveryTimes = { quiet: 50, longest: 250 };

/** The state of a cluster as files say it, which are read again when they change. */
export class FileSource implements SituationSource {
  private readonly folder: ManifestFolder;
  private readonly watched = new WatchedFolders(() => this.delivery.stir());
  private readonly delivery: Delivery;
  private rescan: NodeJS.Timeout | undefined;
  private onSituation: ((situation: Situation) => Promise<void> | void) | undefined;
  private given: Moment | undefined;
  private told = "";
  private firstGiven: () => void = () => undefined;

  constructor(private readonly options: FileSourceOptions) {
    const { paths, recursive = false, delivery = fileDelivery } = options;
    this.folder = new ManifestFolder(paths, recursive, options);
    this.delivery = new Delivery((since) => this.deliver(since), delivery);
  }

  async start(onSituation: (situation: Situation) => Promise<void> | void): Promise<void> {
    this.onSituation = onSituation;
    const first = new Promise<void>((resolve) => (this.firstGiven = resolve));
    this.rescan = setInterval(() => this.delivery.stir(), this.options.rescanMilliseconds ?? 5000);
    this.delivery.stir();
    await first;
  }

  async stop(): Promise<void> {
    clearInterval(this.rescan);
    this.watched.close();
    await this.delivery.stop();
    this.firstGiven();
  }

  private async deliver(since: number): Promise<void> {
    // First watched, then read: what changes in between is seen either way.
    this.watched.update(this.options.paths, this.options.recursive ?? false);
    const { moment, diagnostics } = this.folder.look();
    this.tell(diagnostics.filter(({ severity }) => severity === "error"));
    if (hasErrors(diagnostics) || (this.given !== undefined && isSameMoment(moment, this.given))) return;
    this.given = moment;
    await this.onSituation?.(situationOf(moment, since));
    this.firstGiven();
  }

  /** Once for the same errors, however often they are seen. */
  private tell(errors: readonly Diagnostic[]): void {
    const text = errors.map(({ code, message, place }) => JSON.stringify([code, message, place])).join();
    if (text === this.told) return;
    this.told = text;
    this.options.onErrors?.(errors);
  }
}
