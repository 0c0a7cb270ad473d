/**
 * What the station can be asked, from its OpenAPI document (`npm run build:api` writes this file).
 * Types only: nothing of it is in the page that browsers load.
 */

/** What stands behind the question mark is text, whatever it means. */
type Text = string | number | boolean | null | undefined

/** Whatever is sent may be kept from changes, and leave out what it has no value for. */
type Sent<T> = T extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : T extends object
    ? { [Field in keyof T]: Sent<T[Field]> | (undefined extends T[Field] ? undefined : never) }
    : T

export interface Operations {
  'GET /abuse/categories': { answer: (Category)[] }
  'PATCH /abuse/categories/{name}': { params: { name: string | number }; body: Sent<{ isDenied?: boolean | null; add?: (string)[]; remove?: (string)[]; reason: string; wholeSuffix?: boolean }>; answer: { name: string; isDenied: boolean } }
  'GET /abuse/categories/{name}/hosts': { params: { name: string | number }; query?: { after?: Text; limit?: Text }; answer: (CategoryHost)[] }
  'GET /abuse/flags': { query?: { state?: Text; client?: Text; before?: Text; limit?: Text }; answer: (Flag)[] }
  'PATCH /abuse/flags/{id}': { params: { id: string | number }; body: Sent<{ state?: "confirmed" | "dismissed" | "open" | null; effect?: "cut" | "hold" | "notify" | null; note?: null | string }>; answer: Flag }
  'GET /abuse/flags/page': { query?: { text?: Text; cursor?: Text; limit?: Text; from?: Text; to?: Text; state?: Text; kind?: Text; severity?: Text; effect?: Text; sort?: Text }; answer: { rows: (Flag)[]; next: null | string; total: null | number } }
  'GET /abuse/hosts': { query?: { after?: Text; limit?: Text }; answer: (HostRule)[] }
  'POST /abuse/hosts': { body: Sent<{ hosts: (string)[]; action: "allow" | "deny"; reason: string; wholeSuffix?: boolean }>; answer: { rules: (string)[] } }
  'POST /abuse/hosts/forget': { body: Sent<{ hosts: (string)[] }>; answer: { rules: (string)[] } }
  'GET /abuse/hosts/page': { query?: { text?: Text; cursor?: Text; limit?: Text; from?: Text; to?: Text; effect?: Text; sort?: Text }; answer: { rows: (HostRule)[]; next: null | string; total: null | number } }
  'GET /abuse/own': { answer: { isHeld: boolean; restrictions: ({ id: string; kind: "clicks" | "credentials" | "denied" | "enumeration" | "evasion" | "hammering" | "injection" | "probing" | "scanning" | "volume"; effect: "cut" | "hold" | "notify"; dayMax: null | number; since: number; reason: string })[] } }
  'GET /abuse/webhook': { answer: { url: null | string } }
  'PUT /abuse/webhook': { body: Sent<{ url: null | string }>; answer: { url: null | string; secret: null | string } }
  'POST /accounts': { body: Sent<{ name: string; password?: null | string; roles?: ("client" | "collector" | "operator" | "owner" | "reader" | "volunteer")[] }>; answer: Account }
  'GET /accounts': { query?: { after?: Text; limit?: Text }; answer: (Account)[] }
  'DELETE /accounts/{id}': { params: { id: string | number }; body?: object; answer: Account }
  'GET /accounts/{id}/export': { params: { id: string | number }; answer: AccountExport }
  'POST /accounts/{id}/quota': { params: { id: string | number }; body: Sent<{ openMax: null | number; dayMax: null | number }>; answer: { openMax: null | number; dayMax: null | number; account: string } }
  'POST /accounts/{id}/roles': { params: { id: string | number }; body: Sent<{ roles: ("client" | "collector" | "operator" | "owner" | "reader" | "volunteer")[] }>; answer: Account }
  'DELETE /accounts/{id}/second-factor': { params: { id: string | number }; body?: object; answer: { id: string; name: string } }
  'POST /accounts/{id}/top-up': { params: { id: string | number }; body: Sent<{ micros: number; note?: null | string }>; answer: Posted }
  'GET /accounts/page': { query?: { text?: Text; cursor?: Text; limit?: Text; from?: Text; to?: Text; role?: Text; sort?: Text }; answer: { rows: (Account)[]; next: null | string; total: null | number } }
  'POST /alerts': { body: Sent<{ changes?: "all" | "important" | "none"; leastMagnitude?: number; failuresInRow?: null | number; tellsBack?: boolean; quiet?: null | { from: string; to: string }; zone?: string; digest?: "at-once" | "daily" | "hourly" | "weekly"; digestHour?: number; digestDay?: number; mostPerHour?: number; language?: "en" | "es" | "pt"; watchId?: null | number; channel: "email" | "feed" | "webhook"; target?: string }>; answer: NewAlertView }
  'GET /alerts': { query?: { watchId?: Text }; answer: (AlertView)[] }
  'PATCH /alerts/{id}': { params: { id: string | number }; body: Sent<{ isActive: boolean }>; answer: AlertView }
  'DELETE /alerts/{id}': { params: { id: string | number }; body?: object; answer: object }
  'GET /alerts/{id}/feed/{token}': { params: { id: string | number; token: string | number }; answer: Response }
  'POST /alerts/{id}/test': { params: { id: string | number }; body?: object; answer: DeliveryView }
  'GET /alerts/{id}/unsubscribe/{token}': { params: { id: string | number; token: string | number }; answer: Response }
  'POST /alerts/{id}/unsubscribe/{token}': { params: { id: string | number; token: string | number }; body?: object; answer: Response }
  'GET /alerts/deliveries': { query?: { watchId?: Text; ruleId?: Text; limit?: Text }; answer: (DeliveryView)[] }
  'GET /alerts/mailbox/{token}': { params: { token: string | number }; answer: Response }
  'POST /alerts/mailbox/{token}': { params: { token: string | number }; body?: object; answer: Response }
  'GET /alerts/mailbox/{token}/refuse': { params: { token: string | number }; answer: Response }
  'POST /alerts/mailbox/{token}/refuse': { params: { token: string | number }; body?: object; answer: Response }
  'GET /alerts/suppressed': { answer: (SuppressedAddress)[] }
  'POST /alerts/suppressed': { body: Sent<{ address: string }>; answer: (SuppressedAddress)[] }
  'GET /archive/calendar': { query?: { url?: Text; collectionId?: Text; from?: Text; to?: Text }; answer: (CalendarDay)[] }
  'GET /archive/captures': { query?: { status?: Text; type?: Text; kind?: Text; from?: Text; to?: Text; collectionId?: Text; url?: Text; text?: Text; order?: Text; after?: Text; limit?: Text }; answer: CapturePage }
  'GET /archive/collections/{id}/cdxj': { params: { id: string | number }; answer: Response }
  'GET /archive/collections/{id}/wacz': { params: { id: string | number }; answer: Response }
  'GET /archive/compare': { query: { before: Text; after: Text; states?: Text; cursor?: Text; limit?: Text }; answer: VersionComparison }
  'GET /archive/facts': { answer: ArchiveFacts }
  'GET /archive/favourites': { answer: (Favourite)[] }
  'PUT /archive/favourites': { body: Sent<{ url: string; note?: string }>; answer: (Favourite)[] }
  'DELETE /archive/favourites': { query: { url: Text }; body?: object; answer: (Favourite)[] }
  'GET /archive/growth': { answer: ArchiveGrowthView }
  'POST /archive/import': { body: Sent<{ file: string }>; answer: ImportAnswer }
  'POST /archive/index': { body?: object; answer: ArchiveIndex }
  'GET /archive/moment': { query: { url: Text; at?: Text }; answer: { url: string; capture: CaptureRow; first: number; last: number; previous: null | number; next: null | number; timestamp: string } }
  'POST /archive/repair': { body: Sent<{ afterId?: number; collectionId?: null | number; onlyUnresolved?: boolean; dryRun?: boolean }>; answer: RepairAnswer }
  'GET /archive/replay': { query?: { collectionId?: Text }; answer: ReplayAccess }
  'GET /archive/search': { query?: { status?: Text; type?: Text; kind?: Text; from?: Text; to?: Text; q?: Text; by?: Text; collectionId?: Text; after?: Text; limit?: Text }; answer: ArchiveSearchPage }
  'GET /archive/searches': { answer: (PastSearch)[] }
  'POST /archive/searches': { body: Sent<{ text: string; by: "host" | "prefix" | "text" | "title" | "url" }>; answer: (PastSearch)[] }
  'DELETE /archive/searches': { query?: { id?: Text }; body?: object; answer: (PastSearch)[] }
  'GET /archive/sizes': { query?: { collectionId?: Text }; answer: ArchiveSizes }
  'GET /archive/superseded': { answer: (SupersededRecord)[] }
  'GET /archive/text': { query?: { q?: Text; collectionId?: Text; host?: Text; from?: Text; to?: Text; after?: Text; limit?: Text }; answer: ArchiveTextPage }
  'GET /archive/tombstones': { query: { url: Text }; answer: (Tombstone)[] }
  'GET /archive/versions': { query?: { collectionId?: Text; before?: Text; limit?: Text }; answer: (ArchiveVersion)[] }
  'GET /archive/versions/{collection}/{number}': { params: { collection: string | number; number: string | number }; answer: ArchiveVersion }
  'GET /archive/versions/{collection}/{number}/documents': { params: { collection: string | number; number: string | number }; query?: { afterId?: Text; limit?: Text }; answer: (CaptureRow)[] }
  'GET /attention': { answer: AttentionList }
  'GET /audit-log': { query?: { after?: Text; limit?: Text }; answer: AuditPage }
  'GET /balance': { query?: { as?: Text; account?: Text }; answer: Balance }
  'POST /batches': { body?: object; answer: BatchView }
  'GET /batches': { query?: { before?: Text; from?: Text; state?: Text; limit?: Text }; answer: (BatchView)[] }
  'GET /batches/{id}': { params: { id: string | number }; answer: BatchView }
  'POST /batches/{id}/cancel': { params: { id: string | number }; body?: object; answer: BatchView }
  'GET /batches/{id}/events': { params: { id: string | number }; answer: Response }
  'GET /batches/{id}/results': { params: { id: string | number }; query?: { after?: Text; limit?: Text }; answer: Response }
  'POST /batches/{id}/results/{seq}/complaint': { params: { id: string | number; seq: string | number }; body: Sent<{ note?: null | string }>; answer: { isNew: boolean } }
  'GET /batches/{id}/results/page': { params: { id: string | number }; query?: { text?: Text; cursor?: Text; limit?: Text; outcome?: Text; isVerified?: Text; sort?: Text }; answer: { rows: (ResultLine)[]; next: null | string; total: null | number } }
  'GET /batches/{id}/sharing': { params: { id: string | number }; answer: Sharing }
  'PATCH /batches/{id}/sharing': { params: { id: string | number }; body: Sent<{ sharedWith: (string)[] }>; answer: Sharing }
  'GET /batches/{id}/warc': { params: { id: string | number }; answer: Response }
  'GET /batches/page': { query?: { text?: Text; cursor?: Text; limit?: Text; from?: Text; to?: Text; state?: Text; sort?: Text }; answer: { rows: (BatchView)[]; next: null | string; total: null | number } }
  'GET /captures': { query?: { url?: Text; collectionId?: Text; afterId?: Text; afterAt?: Text; newest?: Text; limit?: Text }; answer: (CaptureRow)[] }
  'GET /captures/content': { query: { url: Text; at?: Text; form?: Text }; answer: Response }
  'GET /captures/diff': { query: { url: Text; before?: Text; after?: Text; as?: Text; watch?: Text; raw?: Text }; answer: CaptureDiff }
  'GET /captures/place': { query: { url: Text; at?: Text }; answer: { capture: CaptureRow; payload: CaptureRow } }
  'GET /captures/record': { query: { url: Text; at?: Text }; answer: Response }
  'GET /collections': { query?: { outcome?: Text }; answer: (CollectionStatus)[] }
  'POST /collections': { body: Sent<{ scope?: "any" | "domain" | "host" | "page" | "prefix"; include?: (string)[]; exclude?: (string)[]; maxPages?: null | number; maxDepth?: null | number; maxBytes?: null | number; maxTimeS?: null | number; maxPagesPerHost?: null | number; maxBytesPerHost?: null | number; maxTimePerHostS?: null | number; bytesPerSecondPerHost?: null | number; bytesPerSecond?: null | number; delayMs?: number; politeness?: "adaptive" | "constant" | "density" | "tenfold"; delayMinMs?: number; inFlightPerHost?: number; retries?: number; sitemaps?: boolean; embeds?: boolean; obeyNofollow?: boolean; trapBudget?: boolean; filter?: null | Record<string, unknown>; extract?: { table: string; rules: ({ field: string; from: "css" | "header" | "json" | "regex" | "url"; select: string; attribute?: string; type?: "boolean" | "instant" | "integer" | "number" | "text"; isRequired?: boolean; list?: boolean })[]; match?: { url?: string; mime?: string } }; seeds: (string)[]; existing?: "change" | "continue" | "separate"; visibility?: "private" | "public" | "shared" }>; answer: CollectionStatus }
  'GET /collections/{id}': { params: { id: string | number }; answer: CollectionStatus }
  'PATCH /collections/{id}': { params: { id: string | number }; body: Sent<{ scope?: "any" | "domain" | "host" | "page" | "prefix"; include?: (string)[]; exclude?: (string)[]; maxPages?: null | number; maxDepth?: null | number; maxBytes?: null | number; maxTimeS?: null | number; maxPagesPerHost?: null | number; delayMs?: number; addExclude?: (string)[] }>; answer: CollectionStatus }
  'POST /collections/{id}/cancel': { params: { id: string | number }; body?: object; answer: CollectionStatus }
  'GET /collections/{id}/captures': { params: { id: string | number }; query?: { q?: Text; cursor?: Text; limit?: Text; status?: Text; type?: Text }; answer: CollectionCaptures }
  'GET /collections/{id}/curve': { params: { id: string | number }; answer: CollectionCurve }
  'POST /collections/{id}/discard': { params: { id: string | number }; body?: object; answer: Discarded }
  'GET /collections/{id}/facets': { params: { id: string | number }; answer: CollectionFacets }
  'GET /collections/{id}/hosts': { params: { id: string | number }; answer: (HostStatus)[] }
  'GET /collections/{id}/hosts/list': { params: { id: string | number }; query?: { q?: Text; cursor?: Text; limit?: Text; state?: Text; sort?: Text }; answer: CollectionHosts }
  'POST /collections/{id}/pause': { params: { id: string | number }; body?: object; answer: CollectionStatus }
  'POST /collections/{id}/rerun': { params: { id: string | number }; body?: object; answer: CollectionStatus }
  'POST /collections/{id}/resume': { params: { id: string | number }; body?: object; answer: CollectionStatus }
  'GET /collections/{id}/sharing': { params: { id: string | number }; answer: Sharing }
  'PATCH /collections/{id}/sharing': { params: { id: string | number }; body: Sent<{ visibility?: "private" | "public" | "shared"; sharedWith?: (string)[] }>; answer: Sharing }
  'POST /collections/{id}/stop': { params: { id: string | number }; body?: object; answer: CollectionStatus }
  'GET /collections/{id}/trail': { params: { id: string | number }; query?: { limit?: Text }; answer: (CollectionTrailView)[] }
  'POST /collections/{id}/undo': { params: { id: string | number }; body?: object; answer: CollectionStatus }
  'POST /collections/check': { body: Sent<{ seeds: (string)[] }>; answer: SeedChecks }
  'POST /collections/existing': { body: Sent<{ scope?: "any" | "domain" | "host" | "page" | "prefix"; include?: (string)[]; exclude?: (string)[]; maxPages?: null | number; maxDepth?: null | number; maxBytes?: null | number; maxTimeS?: null | number; maxPagesPerHost?: null | number; maxBytesPerHost?: null | number; maxTimePerHostS?: null | number; bytesPerSecondPerHost?: null | number; bytesPerSecond?: null | number; delayMs?: number; politeness?: "adaptive" | "constant" | "density" | "tenfold"; delayMinMs?: number; inFlightPerHost?: number; retries?: number; sitemaps?: boolean; embeds?: boolean; obeyNofollow?: boolean; trapBudget?: boolean; filter?: null | Record<string, unknown>; extract?: { table: string; rules: ({ field: string; from: "css" | "header" | "json" | "regex" | "url"; select: string; attribute?: string; type?: "boolean" | "instant" | "integer" | "number" | "text"; isRequired?: boolean; list?: boolean })[]; match?: { url?: string; mime?: string } }; seeds: (string)[] }>; answer: ExistingCollection }
  'GET /collections/list': { query?: { q?: Text; cursor?: Text; limit?: Text; outcome?: Text; state?: Text; kind?: Text; owner?: Text; sort?: Text }; answer: CollectionPage }
  'POST /collections/preview': { body: Sent<{ request: ({ seeds: (string)[]; scope?: "any" | "domain" | "host" | "page" | "prefix" } & Record<string, unknown>); urls?: (string)[]; page?: string }>; answer: ScopePreview }
  'GET /devices': { query?: { afterId?: Text; limit?: Text }; answer: (SeenDevice)[] }
  'GET /devices/{id}': { params: { id: string | number }; answer: SeenDevice }
  'PATCH /devices/{id}': { params: { id: string | number }; body: Sent<{ name: string }>; answer: object }
  'DELETE /devices/{id}': { params: { id: string | number }; body?: object; answer: object }
  'POST /devices/{id}/block': { params: { id: string | number }; body: Sent<{ note?: null | string; durationS?: number }>; answer: { standing: Standing } }
  'POST /devices/{id}/drain': { params: { id: string | number }; body: Sent<{ note?: null | string }>; answer: object }
  'POST /devices/{id}/expel': { params: { id: string | number }; body: Sent<{ note?: null | string }>; answer: { standing: Standing } }
  'GET /devices/{id}/load-tests': { params: { id: string | number }; answer: { takesPart: boolean } }
  'POST /devices/{id}/load-tests': { params: { id: string | number }; body: Sent<{ takesPart: boolean }>; answer: { takesPart: boolean } }
  'POST /devices/{id}/message': { params: { id: string | number }; body: Sent<{ text: string }>; answer: object }
  'POST /devices/{id}/pause': { params: { id: string | number }; body?: object; answer: object }
  'GET /devices/{id}/rates': { params: { id: string | number }; query?: { minutes?: Text }; answer: Rates }
  'POST /devices/{id}/release': { params: { id: string | number }; body: Sent<{ note?: null | string; isForgiven?: boolean }>; answer: { standing: Standing } }
  'GET /devices/{id}/requests': { params: { id: string | number }; query?: { beforeId?: Text; limit?: Text }; answer: (DetailView)[] }
  'POST /devices/{id}/resume': { params: { id: string | number }; body?: object; answer: object }
  'POST /devices/{id}/revoke': { params: { id: string | number }; body?: object; answer: object }
  'GET /devices/{id}/trust': { params: { id: string | number }; query?: { beforeId?: Text; limit?: Text }; answer: DeviceTrust }
  'POST /devices/{id}/undrain': { params: { id: string | number }; body: Sent<{ note?: null | string }>; answer: object }
  'GET /devices/{id}/work': { params: { id: string | number }; answer: (DeviceItem)[] }
  'GET /devices/map': { answer: FleetMap }
  'GET /devices/page': { query?: { text?: Text; doing?: Text; country?: Text; sort?: Text; cursor?: Text; limit?: Text }; answer: ToldPage }
  'POST /download-tickets': { body: Sent<{ path: string }>; answer: { link: string; expiresAt: number } }
  'POST /email/confirm': { body: Sent<{ token: string }>; answer: { name: string; email: string } }
  'GET /event-log': { query?: { level?: Text; context?: Text; text?: Text; from?: Text; to?: Text; subject?: Text; agent?: Text; before?: Text; limit?: Text }; answer: EventPage }
  'GET /event-log/export': { query?: { level?: Text; context?: Text; text?: Text; from?: Text; to?: Text; subject?: Text; agent?: Text; as?: Text }; answer: Response }
  'GET /event-log/stream': { query?: { level?: Text; context?: Text; text?: Text; from?: Text; to?: Text; subject?: Text; agent?: Text }; answer: Response }
  'GET /events': { answer: Response }
  'GET /federation': { answer: FederationStatus }
  'POST /federation/branch': { body: Sent<{ branch: string }>; answer: FederationStatus }
  'POST /federation/confirm': { body: Sent<{ station: string }>; answer: FederationStatus }
  'POST /federation/found': { body: Sent<{ name?: null | string; capacity?: null | number; branch?: null | string }>; answer: FederationStatus }
  'GET /federation/host': { query: { host: Text }; answer: HostOwner }
  'POST /federation/invite': { body?: object; answer: { token: string; expiresAt: number; url: string } }
  'POST /federation/join': { body: Sent<{ name?: null | string; capacity?: null | number; branch?: null | string; url: string; token: string; ca?: null | string }>; answer: FederationStatus }
  'POST /federation/leave': { body?: object; answer: FederationStatus }
  'POST /federation/mode': { body: Sent<{ mode: "hash" | "hold" }>; answer: FederationStatus }
  'POST /federation/promote': { body?: object; answer: FederationStatus }
  'POST /federation/reject': { body: Sent<{ station: string }>; answer: FederationStatus }
  'POST /federation/replan': { body?: object; answer: object | { isFederated: false; url: null | string } | { isFederated: true; url: null | string; id: string; role: "member" | "registrar"; registrar: string; term: number; promotion: null | { registrar: string; name: string; term: number }; epoch: number; mode: "hash" | "hold"; mayDial: boolean; leaseLeftMs: number; owned: number; held: number; handovers: number; kept: number; exchange: { batches: number; rows: number; bytes: number; received: number }; peers: ({ station: string; sent: number; received: number })[]; measured: null | { exchangeShare: null | number; latencyMs: null | number }; outbox: Record<string, number>; stations: ({ id: string; name: string; url: string; branch: string; capacity: number; state: "active" | "left" | "lost"; keeper: null | string })[] } }
  'GET /filter/verdict': { query: { url: Text; collectionId?: Text }; answer: FilterVerdict }
  'POST /hosts/reset': { body: Sent<{ host: string }>; answer: HostReset }
  'POST /inputs': { body: Sent<{ name: string; bytes: number }>; answer: UploadView }
  'GET /inputs': { answer: (UploadView)[] }
  'GET /inputs/{id}': { params: { id: string | number }; answer: UploadView }
  'PUT /inputs/{id}': { params: { id: string | number }; query: { offset: Text }; body?: object; answer: UploadView }
  'DELETE /inputs/{id}': { params: { id: string | number }; body?: object; answer: object }
  'POST /inputs/{id}/finish': { params: { id: string | number }; body: Sent<{ digest?: string }>; answer: UploadView }
  'POST /inputs/look': { body: Sent<{ input: { table: string; version?: number } | { upload: string } | { path: string } }>; answer: FileSummary }
  'GET /jobs': { query?: { kind?: Text; state?: Text; after?: Text; limit?: Text }; answer: JobPage }
  'GET /join-facts': { answer: JoinFacts }
  'POST /join-tokens': { body: Sent<{ isReusable?: boolean; isTrusted?: boolean; lifetimeS?: number }>; answer: { isReusable: boolean; isTrusted: boolean; id: string; owner: string; expiresAt: number; token: string } }
  'GET /join-tokens': { answer: (JoinTokenView)[] }
  'DELETE /join-tokens/{id}': { params: { id: string | number }; body?: object; answer: object }
  'GET /keys': { query?: { everybody?: Text }; answer: (ApiKey)[] }
  'POST /keys': { body: Sent<{ name: string; scopes?: null | ("abuse:read" | "abuse:write" | "accounts:read" | "accounts:write" | "archive:import" | "archive:index" | "archive:takedown" | "budgets:write" | "captures:read" | "collections:read" | "collections:write" | "devices:judge" | "devices:read" | "devices:write" | "events:read" | "federation:read" | "federation:write" | "join-tokens:read" | "join-tokens:write" | "keys:read" | "keys:write" | "ledger:read" | "load-tests:read" | "load-tests:write" | "neutrality:read" | "neutrality:write" | "policies:write" | "queries:read" | "queries:run" | "requests:read" | "requests:send" | "resets:make" | "settings:read" | "settings:write" | "tables:read" | "tables:write" | "watches:read" | "watches:write" | "workers:run")[]; lifetimeS?: null | number }>; answer: { key: ApiKey; secret: string } }
  'DELETE /keys/{id}': { params: { id: string | number }; body?: object; answer: ApiKey }
  'POST /keys/{id}/rotate': { params: { id: string | number }; body: Sent<{ graceS?: number }>; answer: { key: ApiKey; secret: string } }
  'GET /leaderboard': { query?: { days?: Text; limit?: Text }; answer: (Leader)[] }
  'GET /leaderboard/days': { query?: { limit?: Text; days?: Text }; answer: Contributions }
  'GET /ledger/check': { answer: TrialBalance }
  'POST /load-tests': { body: Sent<{ urls: (string)[]; visitorsMax?: number; stepS?: number; thinkMs?: number; answerMsMax?: number; bears?: { p95Ms?: number; errorRate?: number }; ceilings?: { requestsPerSecond?: number; bytes?: number; durationS?: number; errorRate?: number; p95Ms?: number } }>; answer: LoadTestView }
  'GET /load-tests': { query?: { before?: Text; limit?: Text }; answer: (LoadTestView)[] }
  'GET /load-tests/{id}': { params: { id: string | number }; answer: LoadTestView }
  'POST /load-tests/{id}/abort': { params: { id: string | number }; body?: object; answer: LoadTestView }
  'GET /load-tests/{id}/events': { params: { id: string | number }; answer: Response }
  'GET /load-tests/{id}/report': { params: { id: string | number }; query?: { as?: Text }; answer: LoadTestReport }
  'POST /load-tests/{id}/start': { params: { id: string | number }; body?: object; answer: LoadTestView }
  'GET /log-in-options': { answer: LogInOptions }
  'GET /me': { answer: { account: Account; via: "key" | "session"; actions: ("abuse:read" | "abuse:write" | "accounts:read" | "accounts:write" | "archive:import" | "archive:index" | "archive:takedown" | "budgets:write" | "captures:read" | "collections:read" | "collections:write" | "devices:judge" | "devices:read" | "devices:write" | "events:read" | "federation:read" | "federation:write" | "join-tokens:read" | "join-tokens:write" | "keys:read" | "keys:write" | "ledger:read" | "load-tests:read" | "load-tests:write" | "neutrality:read" | "neutrality:write" | "policies:write" | "queries:read" | "queries:run" | "requests:read" | "requests:send" | "resets:make" | "settings:read" | "settings:write" | "tables:read" | "tables:write" | "watches:read" | "watches:write" | "workers:run")[]; boardName: null | string; email: null | string } }
  'POST /me/board-name': { body: Sent<{ name: null | string }>; answer: object }
  'POST /me/deletion': { body: Sent<{ password: string; code?: null | string }>; answer: object }
  'POST /me/email': { body: Sent<{ email: string; password: string; language?: "en" | "es" | "pt" | null }>; answer: object }
  'DELETE /me/email': { body?: object; answer: object }
  'GET /me/export': { answer: AccountExport }
  'GET /me/identities': { answer: (IdentityView)[] }
  'POST /me/identities': { body: Sent<{ flow: string; query: string }>; answer: object }
  'DELETE /me/identities/{id}': { params: { id: string | number }; body?: object; answer: object }
  'POST /me/identities/begin': { body: Sent<{ password: string }>; answer: BegunLogIn }
  'GET /me/passkeys': { answer: (PasskeyView)[] }
  'POST /me/passkeys': { body: Sent<{ name: string; credential: { id: string; type: "public-key"; response: { clientDataJSON: string; attestationObject: string; transports?: (string)[] } } }>; answer: PasskeyView }
  'DELETE /me/passkeys/{id}': { params: { id: string | number }; body?: object; answer: object }
  'POST /me/passkeys/options': { body: Sent<{ password: string }>; answer: PasskeyOptions }
  'POST /me/password': { body: Sent<{ current: string; next: string }>; answer: object }
  'GET /me/second-factor': { answer: SecondFactorView }
  'POST /me/second-factor': { body: Sent<{ password: string }>; answer: { secret: string; uri: string } }
  'POST /me/second-factor/confirm': { body: Sent<{ code: string }>; answer: { recoveryCodes: (string)[] } }
  'POST /me/second-factor/remove': { body: Sent<{ password: string; code: string }>; answer: object }
  'POST /neutrality': { body: Sent<{ name: string; urls: (string)[]; by?: "country" | "network"; devicesPerPlace?: number; everyMs?: null | number; patienceS?: number }>; answer: MonitorView }
  'GET /neutrality': { query?: { before?: Text; limit?: Text }; answer: (MonitorView)[] }
  'GET /neutrality/{id}': { params: { id: string | number }; answer: MonitorView }
  'GET /neutrality/{id}/report': { params: { id: string | number }; query?: { as?: Text; run?: Text; details?: Text }; answer: { id: string; name: string; by: PlaceKind; run: null | RunView; flags: (PlaceFlag)[]; findings: (UrlFinding)[]; history: (RunView)[]; sightings?: ({ status: null | number; code: null | string; location: null | string; digest: null | string; fingerprint: null | string; language: null | string; certificate: null | SeenCertificate; place: string; url: string; device: string })[] } }
  'POST /neutrality/{id}/stop': { params: { id: string | number }; body?: object; answer: MonitorView }
  'GET /openapi.json': { answer: Response }
  'GET /place/agreement': { answer: PlaceAgreement }
  'GET /place/assignment': { query?: { as?: Text }; answer: Response }
  'GET /place/distances': { query: { host: Text }; answer: HostDistances }
  'GET /place/epochs': { query?: { text?: Text; cursor?: Text; limit?: Text; from?: Text; to?: Text; reason?: Text; sort?: Text }; answer: { rows: (PlacementEpochRow)[]; next: null | string; total: null | number } }
  'GET /place/epochs/{epoch}': { params: { epoch: string | number }; answer: MapView }
  'GET /place/epochs/{epoch}/moves': { params: { epoch: string | number }; query?: { text?: Text; cursor?: Text; limit?: Text; from?: Text; to?: Text; sort?: Text }; answer: { rows: (PlacementMove)[]; next: null | string; total: null | number } }
  'GET /place/graph': { answer: GraphTotals }
  'GET /place/hosts': { query?: { text?: Text; cursor?: Text; limit?: Text; device?: Text; country?: Text; sort?: Text }; answer: { rows: (PlacedHostRow)[]; next: null | string; total: null | number } }
  'GET /place/map': { query?: { after?: Text; limit?: Text }; answer: { reason: string; why: string; way: string; hosts: number; pages: number; movedPages: number; exchangeShare: null | number; imbalance: null | number; latencyMs: null | number; parts: (MapPart)[]; story: null | PlacementReport; epoch: number; at: number; placed: (MappedHost)[] } }
  'POST /place/repartition': { body?: object; answer: Response }
  'GET /place/state': { answer: PlacementState }
  'POST /queries': { body: Sent<{ queries: (string | { name: string })[]; parameters?: Record<string, string | number>; inputs?: Record<string, { table: string; version?: number } | { upload: string } | { path: string }>; format?: "csv" | "jsonl" | "parquet"; memoryMb?: number; deadlineS?: number; id: string }>; answer: QueryView }
  'GET /queries': { query?: { state?: Text; before?: Text; limit?: Text }; answer: (QueryView)[] }
  'GET /queries/{id}': { params: { id: string | number }; answer: QueryView }
  'POST /queries/{id}/again': { params: { id: string | number }; body?: object; answer: QueryView }
  'POST /queries/{id}/cancel': { params: { id: string | number }; body?: object; answer: QueryView }
  'GET /queries/{id}/plan': { params: { id: string | number }; answer: QueryPlanView }
  'GET /queries/{id}/results/{name}': { params: { id: string | number; name: string | number }; answer: Response }
  'GET /queries/{id}/results/{name}/rows': { params: { id: string | number; name: string | number }; query?: { offset?: Text; limit?: Text }; answer: ReadRows }
  'GET /queries/{id}/rows': { params: { id: string | number }; query?: { query?: Text; after?: Text; limit?: Text }; answer: { batches: (QueryRows)[]; after: string; isEnded: boolean } }
  'GET /queries/{id}/stream': { params: { id: string | number }; query?: { after?: Text }; answer: Response }
  'POST /queries/explain': { body: Sent<{ queries: (string | { name: string })[]; parameters?: Record<string, string | number>; inputs?: Record<string, { table: string; version?: number } | { upload: string } | { path: string }>; format?: "csv" | "jsonl" | "parquet"; memoryMb?: number; deadlineS?: number }>; answer: QueryPlanView }
  'GET /queries/shipped': { answer: (Query)[] }
  'GET /quota': { query?: { account?: Text }; answer: Quota }
  'POST /requests': { body: Sent<{ priority?: "high" | "low" | "normal"; maxAgeS?: number; url: string; timeoutS?: number; as?: "body" | "result" }>; answer: Response }
  'POST /resets': { body: Sent<{ account: string }>; answer: { accountId: string; name: string; token: string; expiresAt: number; link: string } }
  'POST /resets/by-mail': { body: Sent<{ account: string; language?: "en" | "es" | "pt" | null }>; answer: object }
  'POST /resets/use': { body: Sent<{ token: string; password: string }>; answer: object }
  'GET /saved-queries': { query?: { of?: Text }; answer: (SavedView)[] }
  'POST /saved-queries': { body: Sent<{ kind: "query" | "sql"; name: string; text: string }>; answer: SavedView }
  'GET /saved-queries/{id}': { params: { id: string | number }; answer: SavedView }
  'PATCH /saved-queries/{id}': { params: { id: string | number }; body: Sent<{ kind?: "query" | "sql"; name?: string; text?: string }>; answer: SavedView }
  'DELETE /saved-queries/{id}': { params: { id: string | number }; body?: object; answer: SavedView }
  'POST /saved-queries/{id}/restore': { params: { id: string | number }; body?: object; answer: SavedView }
  'GET /saved-queries/{id}/sharing': { params: { id: string | number }; answer: Sharing }
  'PATCH /saved-queries/{id}/sharing': { params: { id: string | number }; body: Sent<{ visibility?: "private" | "public" | "shared"; sharedWith?: (string)[] }>; answer: Sharing }
  'POST /sessions': { body: Sent<{ name: string; password: string; code?: null | string; as?: "cookie" | "token" }>; answer: { account: Account; expiresAt: number; pageToken: string } | { account: Account; expiresAt: number; token: string } }
  'GET /sessions': { answer: (SessionView)[] }
  'DELETE /sessions': { query?: { everywhere?: Text; others?: Text }; body?: object; answer: object }
  'DELETE /sessions/{id}': { params: { id: string | number }; body?: object; answer: object }
  'POST /sessions/by-link': { body: Sent<{ token: string }>; answer: { account: Account; expiresAt: number; pageToken: string } }
  'POST /sessions/by-oidc': { body: Sent<{ flow: string; query: string }>; answer: { account: Account; expiresAt: number; pageToken: string } }
  'POST /sessions/by-passkey': { body: Sent<{ credential: { id: string; type: "public-key"; response: { clientDataJSON: string; authenticatorData: string; signature: string } } }>; answer: { account: Account; expiresAt: number; pageToken: string } }
  'POST /sessions/confirm': { body: Sent<{ password: string }>; answer: object }
  'POST /sessions/oidc-begin': { body?: object; answer: BegunLogIn }
  'POST /sessions/passkey-options': { body?: object; answer: PasskeyOptions }
  'GET /settings': { answer: (SettingView)[] }
  'PATCH /settings': { body: Sent<({ note?: null | string } & Record<string, unknown>)>; answer: (SettingView)[] }
  'DELETE /settings/{name}': { params: { name: string | number }; query?: { note?: Text }; body?: object; answer: (SettingView)[] }
  'GET /settings/changes': { query?: { before?: Text; limit?: Text }; answer: (ShownChange)[] }
  'GET /settings/changes/page': { query?: { text?: Text; cursor?: Text; limit?: Text; from?: Text; to?: Text; setting?: Text; sort?: Text }; answer: { rows: (ShownChange)[]; next: null | string; total: null | number } }
  'POST /sign-in-links': { body?: object; answer: { token: string; expiresAt: number } }
  'POST /site-owners/address': { body: Sent<{ host: string; address: string; at: string; windowS?: unknown }>; answer: { answer: AddressAnswer } }
  'POST /site-owners/proofs': { body: Sent<{ host: string; purpose?: "load-test" | "owner" }>; answer: OpenedProof }
  'POST /site-owners/proofs/{id}/asked': { params: { id: string | number }; body: Sent<{ secret: string }>; answer: HostAccount }
  'POST /site-owners/proofs/{id}/check': { params: { id: string | number }; body: Sent<{ secret: string }>; answer: { id: string; host: string; purpose: ProofPurpose; token: string; openedAt: number; expiresAt: number; provenAt: null | number; provenBy: "dns" | "file" | null; checkedAt: null | number; isFileWanted: boolean; fileNote: null | string; dnsNote: null | string; file: { path: string; content: string }; dns: null | { name: string; type: "TXT"; value: string } } }
  'PUT /site-owners/proofs/{id}/rule': { params: { id: string | number }; body: Sent<{ secret: string; host: string; effect: "stop" } | { secret: string; host: string; effect: "slow"; delayS: unknown }>; answer: HostAccount }
  'DELETE /site-owners/proofs/{id}/rule': { params: { id: string | number }; body: Sent<{ secret: string; host: string }>; answer: HostAccount }
  'GET /snapshot': { answer: FirstSnapshot }
  'POST /sql': { body: Sent<{ sql: string; format?: "csv" | "json" | "jsonl" | "parquet"; rowsMax?: number; timeoutS?: number }>; answer: Response }
  'GET /sql/limits': { answer: SqlLimitsView }
  'GET /statement': { query?: { as?: Text; account?: Text; format?: Text; from?: Text; to?: Text }; answer: Response }
  'GET /statement/page': { query?: { text?: Text; cursor?: Text; limit?: Text; from?: Text; to?: Text; as?: Text; account?: Text; kind?: Text; sort?: Text }; answer: { rows: (StatementLine)[]; next: null | string; total: null | number } }
  'GET /station/throughput': { answer: (ThroughputPoint)[] }
  'GET /tables': { answer: (TableView)[] }
  'GET /tables/{name}': { params: { name: string | number }; answer: TableView }
  'DELETE /tables/{name}': { params: { name: string | number }; body?: object; answer: object }
  'POST /tables/{name}/compact': { params: { name: string | number }; body?: object; answer: { query: null | QueryView } }
  'POST /tables/{name}/import': { params: { name: string | number }; body: Sent<{ id?: string; input: { table: string; version?: number } | { upload: string } | { path: string }; rules?: { columns: Record<string, { from?: string; type: "boolean" | "date" | "decimal" | "instant" | "integer" | "json" | "list" | "number" | "text" | "year"; isRequired?: boolean; isTrimmed?: boolean; decimals?: number; least?: number; most?: number; onFlaw?: "drop" | "empty" }> }; types?: Record<string, "boolean" | "date" | "decimal" | "instant" | "integer" | "json" | "list" | "number" | "text" | "year">; isReplacing?: boolean }>; answer: QueryView }
  'GET /tables/{name}/rejects': { params: { name: string | number }; query?: { version?: Text; offset?: Text; limit?: Text }; answer: RejectedRows }
  'GET /tables/{name}/rows': { params: { name: string | number }; query?: { version?: Text; offset?: Text; limit?: Text }; answer: ReadRows }
  'GET /tables/{name}/sharing': { params: { name: string | number }; answer: Sharing }
  'PATCH /tables/{name}/sharing': { params: { name: string | number }; body: Sent<{ visibility?: "private" | "public" | "shared"; sharedWith?: (string)[] }>; answer: Sharing }
  'GET /tables/{name}/versions': { params: { name: string | number }; query?: { before?: Text }; answer: (VersionView)[] }
  'POST /tables/preview': { body: Sent<{ input: { table: string; version?: number } | { upload: string } | { path: string }; rules?: { columns: Record<string, { from?: string; type: "boolean" | "date" | "decimal" | "instant" | "integer" | "json" | "list" | "number" | "text" | "year"; isRequired?: boolean; isTrimmed?: boolean; decimals?: number; least?: number; most?: number; onFlaw?: "drop" | "empty" }> }; types?: Record<string, "boolean" | "date" | "decimal" | "instant" | "integer" | "json" | "list" | "number" | "text" | "year">; rows?: number }>; answer: ImportPreview }
  'POST /takedowns': { body: Sent<{ urls: (string)[]; versions?: "all" | "at" | "one" | "prefix"; at?: null | number; reason: string; block?: boolean; dryRun?: boolean }>; answer: TakedownAnswer }
  'GET /takedowns': { query?: { before?: Text; limit?: Text }; answer: (TakedownView)[] }
  'GET /tasks': { query?: { state?: Text; kind?: Text; worker?: Text; query?: Text; after?: Text; limit?: Text }; answer: LakeTaskPage }
  'GET /watch-budget': { answer: BudgetView }
  'GET /watch-calibration': { query?: { days?: Text }; answer: CalibrationView }
  'GET /watch-groups': { query?: { days?: Text }; answer: WatchGroupsView }
  'POST /watches': { body: Sent<{ scope?: "any" | "domain" | "host" | "page" | "prefix"; include?: (string)[]; exclude?: (string)[]; maxPages?: null | number; maxBytes?: null | number; maxTimeS?: null | number; delayMs?: number; politeness?: "adaptive" | "constant" | "density" | "tenfold"; delayMinMs?: number; category?: null | number; observations?: string; isActive?: boolean; periodMs?: null | number; policy?: null | string; importance?: number; budgetShare?: null | number; floorMs?: null | number; threshold?: number; includeSelectors?: (string)[]; excludeSelectors?: (string)[]; name?: string; subject?: "list" | "page" | "site"; urls: (string)[]; feeds?: (string)[]; sitemaps?: (string)[] }>; answer: WatchDetail }
  'GET /watches': { query?: { before?: Text; limit?: Text; search?: Text; category?: Text; state?: Text; subject?: Text; owner?: Text }; answer: (WatchView)[] }
  'GET /watches/{id}': { params: { id: string | number }; answer: WatchDetail }
  'PATCH /watches/{id}': { params: { id: string | number }; body: Sent<{ name?: string; category?: null | number; observations?: string; isActive?: boolean; periodMs?: null | number; policy?: null | string; importance?: number; budgetShare?: null | number; floorMs?: null | number; threshold?: number; includeSelectors?: (string)[]; excludeSelectors?: (string)[]; addUrls?: (string)[]; addFeeds?: (string)[]; addSitemaps?: (string)[]; removeUrls?: (string)[] }>; answer: WatchDetail }
  'DELETE /watches/{id}': { params: { id: string | number }; query?: { withCaptures?: Text }; body?: object; answer: RemovedWatch }
  'GET /watches/{id}/activity': { params: { id: string | number }; query?: { days?: Text }; answer: (ActivityView)[] }
  'GET /watches/{id}/calibration': { params: { id: string | number }; query?: { days?: Text }; answer: CalibrationView }
  'GET /watches/{id}/compare': { params: { id: string | number }; query?: { days?: Text; period?: Text }; answer: WatchCompareView }
  'GET /watches/{id}/compare-curve': { params: { id: string | number }; query?: { days?: Text }; answer: CompareCurveView }
  'GET /watches/{id}/forecast': { params: { id: string | number }; query?: { limit?: Text }; answer: (NextVisit)[] }
  'POST /watches/{id}/harvest': { params: { id: string | number }; body?: object; answer: { number: number } }
  'POST /watches/{id}/harvest/cancel': { params: { id: string | number }; body?: object; answer: (VersionView2)[] }
  'POST /watches/{id}/harvest/pause': { params: { id: string | number }; body?: object; answer: (VersionView2)[] }
  'POST /watches/{id}/harvest/resume': { params: { id: string | number }; body?: object; answer: (VersionView2)[] }
  'POST /watches/{id}/hook': { params: { id: string | number }; body?: object; answer: { secret: string } }
  'DELETE /watches/{id}/hook': { params: { id: string | number }; body?: object; answer: object }
  'GET /watches/{id}/hubs': { params: { id: string | number }; answer: (WebsubView)[] }
  'GET /watches/{id}/metrics': { params: { id: string | number }; query?: { days?: Text }; answer: WatchMetricsView }
  'POST /watches/{id}/next-visit': { params: { id: string | number }; body: Sent<{ at: number }>; answer: WatchDetail }
  'GET /watches/{id}/noise': { params: { id: string | number }; answer: (NoiseRegionView)[] }
  'POST /watches/{id}/noise/forget': { params: { id: string | number }; body?: object; answer: (NoiseRegionView)[] }
  'POST /watches/{id}/noise/restore': { params: { id: string | number }; body: Sent<{ url: string; region: number }>; answer: (NoiseRegionView)[] }
  'GET /watches/{id}/notices': { params: { id: string | number }; query?: { before?: Text; limit?: Text }; answer: { signals: (SignalView)[]; notices: (NoticeView)[] } }
  'POST /watches/{id}/notify': { params: { id: string | number }; body: Sent<null | { urls?: (string)[]; urlList?: (string)[]; key?: string }>; answer: AcceptedNotices }
  'POST /watches/{id}/pause': { params: { id: string | number }; body?: object; answer: WatchDetail }
  'POST /watches/{id}/resume': { params: { id: string | number }; body?: object; answer: WatchDetail }
  'GET /watches/{id}/trail': { params: { id: string | number }; query?: { before?: Text; limit?: Text }; answer: (TrailView)[] }
  'POST /watches/{id}/undo': { params: { id: string | number }; body?: object; answer: WatchDetail }
  'GET /watches/{id}/urls': { params: { id: string | number }; query?: { limit?: Text; after?: Text }; answer: (NextVisit)[] }
  'GET /watches/{id}/versions': { params: { id: string | number }; answer: (VersionView2)[] }
  'GET /watches/{id}/visits': { params: { id: string | number }; query?: { before?: Text; limit?: Text; of?: Text }; answer: ({ url: string; role: string; cause: VisitCause; at: number; sinceMs: null | number; outcome: VisitOutcome; code: null | string; visual: number; structural: number; content: number; magnitude: number; isImportant: boolean; chance: null | number; bytes: number; captureId: null | number; beforeId: null | number; id: number })[] }
  'GET /watches/{id}/years': { params: { id: string | number }; answer: (WatchYear)[] }
  'GET /watches/categories': { answer: (WatchCategoryView)[] }
  'POST /watches/categories': { body: Sent<{ code: number; name: string }>; answer: (WatchCategoryView)[] }
  'PATCH /watches/categories/{code}': { params: { code: string | number }; body: Sent<{ name: string }>; answer: (WatchCategoryView)[] }
  'DELETE /watches/categories/{code}': { params: { code: string | number }; body?: object; answer: (WatchCategoryView)[] }
  'GET /watches/export': { query?: { search?: Text; category?: Text; state?: Text; subject?: Text; owner?: Text; as?: Text }; answer: Response }
  'GET /watches/forecast': { query?: { limit?: Text }; answer: (NextVisit)[] }
  'GET /watches/groups': { query?: { by?: Text }; answer: (WatchGroupView)[] }
  'POST /watches/import': { body: Sent<{ as: "csv" | "json" | "opml"; text: string }>; answer: ImportedWatches }
  'GET /watches/list': { query?: { search?: Text; category?: Text; state?: Text; subject?: Text; owner?: Text; trouble?: Text; group?: Text; sort?: Text; descending?: Text; after?: Text; limit?: Text }; answer: WatchListPage }
  'POST /watches/run': { body: Sent<{ ids?: null | (number)[] }>; answer: Round }
  'GET /watches/run': { query: { startedAt: Text; ids?: Text }; answer: RoundState }
  'POST /watches/seen': { body: Sent<{ ids?: null | (number)[] }>; answer: { seen: number } }
  'GET /websub/{token}': { params: { token: string | number }; answer: Response }
  'POST /websub/{token}': { params: { token: string | number }; body?: object; answer: Response }
  'POST /wikis': { body: Sent<{ maxRequests?: null | number; maxBytes?: null | number; maxTimeS?: null | number; delayMs?: number; inFlight?: number; address?: string; pages?: (string)[]; pageIds?: (number)[]; categories?: ({ title: string; depth?: number })[]; namespaces?: (number)[]; all?: boolean; locale?: null | string; keepWarc?: boolean; robots?: "etiquette" | "obey"; volunteers?: boolean }>; answer: WikiTaskView }
  'GET /wikis': { answer: { wikis: (WikiStats)[] } }
  'GET /wikis/{wiki}': { params: { wiki: string | number }; answer: WikiRow }
  'GET /wikis/{wiki}/authors': { params: { wiki: string | number }; query: { title: Text; tokens?: Text }; answer: { title: string; pageid: number; editors: (EditorTokens)[] } | { title: string; pageid: number; editors: (EditorTokens)[]; tokens: (AuthoredToken)[] } }
  'GET /wikis/{wiki}/authorship': { params: { wiki: string | number }; query?: { title?: Text; pageId?: Text; revId?: Text }; answer: WikiAuthorship }
  'PUT /wikis/{wiki}/bot-password': { params: { wiki: string | number }; body: Sent<{ logIn: null | { user: string; password: string } }>; answer: { saved: boolean } }
  'GET /wikis/{wiki}/compare': { params: { wiki: string | number }; query: { pageIds: Text }; answer: WikiPageComparison }
  'GET /wikis/{wiki}/diff': { params: { wiki: string | number }; query: { before: Text; after: Text; slot?: Text }; answer: { parts: (DiffPart)[]; tokens: { same: number; removed: number; added: number; moved: number }; before: number; after: number } }
  'GET /wikis/{wiki}/editor': { params: { wiki: string | number }; query: { name: Text }; answer: WikiEditorView }
  'GET /wikis/{wiki}/export': { params: { wiki: string | number }; query?: { pages?: Text; from?: Text; until?: Text; current?: Text; as?: Text }; answer: Response }
  'PUT /wikis/{wiki}/feed': { params: { wiki: string | number }; body: Sent<{ on: boolean }>; answer: { isOn: boolean; collectionId: null | number; run: number; mark: null | { at: number; seen: (number)[] }; everyMs: number; polledAt: number; sweptAt: number; follows: (number)[]; requests: number; changes: number; lastPollRequests: number; lastEventId: null | string; days: ({ day: string; calls: number; ruleCalls: null | number })[] } }
  'GET /wikis/{wiki}/gaps': { params: { wiki: string | number }; answer: { gaps: (WikiGapRow)[] } }
  'GET /wikis/{wiki}/history': { params: { wiki: string | number }; query?: { title?: Text; pageId?: Text; oldestFirst?: Text; from?: Text; until?: Text }; answer: Response }
  'GET /wikis/{wiki}/log-in': { params: { wiki: string | number }; answer: WikiLogInState }
  'GET /wikis/{wiki}/metrics': { params: { wiki: string | number }; query?: { as?: Text; only?: Text; date?: Text; dateend?: Text; datestart?: Text; locale?: Text; pageid?: Text; size?: Text; sizematch?: Text; tag?: Text; title?: Text; user?: Text; userid?: Text; wiki?: Text }; answer: { revisions: number; wiki: string; bursts?: (Burst)[]; editors?: (TopEditor)[]; gaps?: EditGaps; hours?: (RhythmCount)[]; inequality?: Inequality; months?: (RhythmCount)[]; reverts?: IdentityReverts; sessions?: EditSessions; sizes?: SizeDeltas; split?: EditorSplit; tags?: (TagUse)[]; together?: CoEditorNetwork; wars?: (EditWar)[]; weekdays?: (RhythmCount)[]; years?: (RhythmCount)[] } }
  'GET /wikis/{wiki}/pages': { params: { wiki: string | number }; query?: { page?: Text; page_size?: Text; cursor?: Text; sort?: Text; search?: Text; match?: Text; editors?: Text; firstAt?: Text; lastAt?: Text; ns?: Text; pageId?: Text; redirect?: Text; revisions?: Text; size?: Text; state?: Text; title?: Text }; answer: { rows: (WikiPageRow)[]; cursor: null | string; total: number } }
  'POST /wikis/{wiki}/query': { params: { wiki: string | number }; query?: { as?: Text }; body?: object; answer: QueryAnswer }
  'GET /wikis/{wiki}/revisions': { params: { wiki: string | number }; query?: { page?: Text; page_size?: Text; cursor?: Text; sort?: Text; pageId?: Text; user?: Text; search?: Text; from?: Text; until?: Text; at?: Text; comment?: Text; delta?: Text; editor?: Text; hidden?: Text; isMinor?: Text; ns?: Text; revId?: Text; size?: Text; tags?: Text; title?: Text }; answer: { rows: (WikiRevisionRow)[]; cursor: null | string; total: number } }
  'GET /wikis/{wiki}/sharing': { params: { wiki: string | number }; answer: Sharing }
  'PATCH /wikis/{wiki}/sharing': { params: { wiki: string | number }; body: Sent<{ sharedWith?: (string)[]; visibility?: "private" | "shared" }>; answer: Sharing }
  'GET /wikis/{wiki}/summary': { params: { wiki: string | number }; answer: WikiDetail }
  'GET /wikis/{wiki}/text/{revId}': { params: { wiki: string | number; revId: string | number }; query?: { slot?: Text }; answer: Response }
  'PUT /wikis/{wiki}/token': { params: { wiki: string | number }; body: Sent<{ token: null | string }>; answer: { saved: boolean } }
  'GET /wikis/{wiki}/track': { params: { wiki: string | number }; query?: { title?: Text; pageId?: Text }; answer: WikiPageTrack }
  'POST /wikis/{wiki}/update': { params: { wiki: string | number }; body: Sent<{ titles?: (string)[] }>; answer: WikiTaskView }
  'GET /wikis/{wiki}/verify': { params: { wiki: string | number }; answer: Verified }
  'POST /wikis/imports': { body: Sent<{ file: string; wiki?: null | string; roundBytes?: null | number }>; answer: DumpImportView }
  'GET /wikis/imports': { answer: { imports: (DumpImportView)[] } }
  'GET /wikis/imports/{id}': { params: { id: string | number }; answer: DumpImportView }
  'GET /wikis/overview': { answer: { wikis: (WikiSummary)[] } }
  'GET /wikis/schedule': { answer: { wikis: (WikiScheduleView)[] } }
  'GET /wikis/tasks': { query?: { wiki?: Text; before?: Text; limit?: Text }; answer: (WikiTaskView)[] }
  'GET /wikis/tasks/{id}': { params: { id: string | number }; answer: WikiTaskView }
  'PATCH /wikis/tasks/{id}': { params: { id: string | number }; body: Sent<{ priority?: number; limits?: { maxRequests?: null | number; maxBytes?: null | number; maxTimeS?: null | number; delayMs?: number; inFlight?: number } }>; answer: WikiTaskView }
  'POST /wikis/tasks/{id}/cancel': { params: { id: string | number }; body?: object; answer: WikiTaskView }
  'POST /wikis/tasks/{id}/retry': { params: { id: string | number }; body?: object; answer: WikiTaskView }
  'GET /workers': { answer: (WorkerView)[] }
  'POST /workers/{boot}/drain': { params: { boot: string | number }; body?: object; answer: KnownWorker }
  'POST /workers/{boot}/resume': { params: { boot: string | number }; body?: object; answer: KnownWorker }
}

export type AcceptedNotices = { early: number; noted: number; unknown: number }

export type Account = { id: string; name: string; roles: ("client" | "collector" | "operator" | "owner" | "reader" | "volunteer")[]; createdAt: number; hasPassword: boolean }

export type AccountExport = { account: string; name: string; at: number; tables: (ExportedTable)[] }

export type ActivityView = { day: string; visits: number; changes: number; failures: number; feedChecks: number }

export type AddressAnswer = "no" | "unknown" | "yes"

export type Aggregate = { is: "count"; of?: string } | { is: "avg" | "distinct" | "list" | "max" | "min" | "sum"; of: string } | { is: "quantile"; of: string; q: string }

export type AgreementRow = { a: PlaceSource; b: PlaceSource; both: number; coincident: number; share: null | number; meanKm: null | number }

export type AlertView = { id: string; account: string; watchId: null | number; channel: "email" | "feed" | "webhook"; target: string; isActive: boolean; unsubscribedAt: null | number; mailbox: "confirmed" | "suppressed" | "unconfirmed" | null; createdAt: number; feedUrl: null | string; waiting: number; changes: "all" | "important" | "none"; leastMagnitude: number; failuresInRow: null | number; tellsBack: boolean; quiet: null | { from: string; to: string }; zone: string; digest: "at-once" | "daily" | "hourly" | "weekly"; digestHour: number; digestDay: number; mostPerHour: number; language: "en" | "es" | "pt" }

export type ApiKey = { id: string; accountId: string; name: string; scopes: null | ("abuse:read" | "abuse:write" | "accounts:read" | "accounts:write" | "archive:import" | "archive:index" | "archive:takedown" | "budgets:write" | "captures:read" | "collections:read" | "collections:write" | "devices:judge" | "devices:read" | "devices:write" | "events:read" | "federation:read" | "federation:write" | "join-tokens:read" | "join-tokens:write" | "keys:read" | "keys:write" | "ledger:read" | "load-tests:read" | "load-tests:write" | "neutrality:read" | "neutrality:write" | "policies:write" | "queries:read" | "queries:run" | "requests:read" | "requests:send" | "resets:make" | "settings:read" | "settings:write" | "tables:read" | "tables:write" | "watches:read" | "watches:write" | "workers:run")[]; createdAt: number; expiresAt: null | number; revokedAt: null | number; replacedBy: null | string; lastUsedAt: null | number }

export type ArchiveFacts = { lastId: number; captures: number; indexedUpTo: number; files: ({ file: string; committedBytes: number })[]; unfinishedImports: (string)[] }

export type ArchiveGrowthView = { at: number; archive: { capacityBytes: null | number; bytes: number; bytesPerDay: null | GrowthSpan; basis: "days" | "weeks" | null; setAsideBytes: number; outlook: "dated" | "full" | "never" | "unknown"; fullAt: null | FullAt; samples: (GrowthSample)[] }; collections: (CollectionGrowth)[]; collectionsLeftOut: number }

export type ArchiveIndex = { file: string; captures: number }

export type ArchiveSearchPage = { urls: (ArchivedUrl)[]; next: null | string }

export type ArchiveSizes = { captures: number; responses: number; revisits: number; storedBytes: number; payloadBytes: number; savedBytes: number }

export type ArchiveTextHit = { captureId: number; url: string; title: null | MarkedText; capturedAt: number; collectionId: number; mime: string; captures: number; snippet: MarkedText }

export type ArchiveTextPage = { hits: (ArchiveTextHit)[]; next: null | number; estimate: null | { texts: number; isMore: boolean }; index: TextIndexState }

export type ArchiveVersion = { collectionId: number; number: number; name: string; seed: null | string; state: VersionState; reason: null | string; cause: string; startedAt: number; endedAt: null | number; durationMs: null | number; documents: number; bytes: number; failed: number; files: (string)[]; agents: (string)[] }

export type ArchivedUrl = { url: string; title: null | string; firstAt: number; lastAt: number; captures: number }

export type AskedDay = { day: number; responses: number; errors: number; bytes: number }

export type AttentionItem = { code: "collection-errors" | "collection-failed" | "device-quarantined" | "device-silent" | "devices-silent" | "disk-full-soon" | "disk-low" | "job-failed" | "no-contact" | "no-public-address" | "placement-uneven" | "process-restarts" | "watch-failing" | "watch-noisy"; level: "error" | "info" | "warning"; params: Record<string, string | number>; sentence: string; remedy: string; since: null | number; link: string }

export type AttentionList = { items: (AttentionItem)[] }

export type AuditEntry = { seq: number; at: number; actor: null | string; act: string; subject: string; details: Record<string, boolean | null | string | number>; hash: string }

export type AuditPage = { entries: (AuditEntry)[]; next: null | number }

export type AuthoredToken = { text: string; revId: number; user: null | string; revisionsKept: number; keptByOthers: number }

export type Balance = { account: string; balanceMicros: number; requests: number }

export type BatchView = { id: string; state: "cancelled" | "ended" | "filling" | "running"; priority: "high" | "low" | "normal"; total: number; open: number; fromCache: number; bytes: number; createdAt: number; endedAt: null | number; webhookSecret?: string; cancelled: number; captured: number; denied: number; failed: number }

export type BearingCriterion = { p95Ms: number; errorRate: number }

export type BegunLogIn = { url: string; flow: string }

export type Behaviour = "rare" | "seasonal" | "steady" | "without pattern"

export type BehaviourView = { kind: Behaviour; reason: string; burst: boolean }

export type BudgetPoint = { visitsPerDay: number; usedVisitsPerDay: number; versionsPerDay: number; changesPerDay: number; freshness: number; rareUrls: number }

export type BudgetView = { visitsPerDay: number; isDefault: boolean; urls: number; urlsLeftOut: number; points: (BudgetPoint)[] }

export type Burst = { from: string; until: string; edits: number; intensity: number }

export type CalendarDay = { day: string; captures: number; changes: number }

export type CalibrationDrawer = { from: number; to: number; visits: number; predicted: number; observed: number; low: number; high: number }

export type CalibrationView = { visits: number; drawers: (CalibrationDrawer)[]; brier: null | number; baseBrier: null | number }

export type Capacity = { visitors: number; isAtLeast: boolean; low: number; high: null | number }

export type CaptureDiff = { url: string; before: DiffSide; after: DiffSide; changed: boolean; visual: number; structural: number; content: number; magnitude: number; reasons: (string)[]; blocks: (DiffBlockView)[]; watch: null | DiffWatch; truncatedAt?: number; comparedBytes?: number }

export type CapturePage = { captures: (CaptureRow)[]; next: null | string }

export type CaptureRow = { id: number; collectionId: number; url: string; capturedAt: number; kind: "response" | "revisit"; status: number; mime: string; digest: string; file: string; offset: number; length: number; recordId: null | string; title: null | string }

export type Category = { name: string; isDenied: boolean; hosts: number; reason: string; changedBy: string; changedAt: number }

export type CategoryHost = { pattern: string; reason: string; addedBy: string; addedAt: number }

export type CoEditorNetwork = { editors: ({ user: string; edits: number; pages: number })[]; links: ({ one: string; other: string; pages: number })[]; isCut: boolean }

export type CollectionCaptures = { rows: (CaptureRow)[]; cursor: null | string }

export type CollectionCurve = { points: (CurvePoint)[] }

export type CollectionFacets = { types: (FacetBar)[]; statuses: (FacetBar)[]; depths: (FacetBar)[]; errors: (ErrorView)[] }

export type CollectionGrowth = { id: number; name: string; bytes: number; bytesPerDay: null | GrowthSpan; basis: "days" | "weeks" | null; setAsideBytes: number; outlook: "dated" | "full" | "never" | "unknown"; fullAt: null | FullAt; capacityBytes: null | number }

export type CollectionHosts = { rows: (HostStatus)[]; cursor: null | string; total: number }

export type CollectionPage = { rows: (LiveCollection)[]; cursor: null | string; total: number }

export type CollectionProblem = { code: string; url: null | string; message: string; remedy: string; advice: ProblemAdvice }

export type CollectionState = "cancelled" | "finished" | "paused" | "running"

export type CollectionStatus = { id: number; owner: null | string; state: CollectionState; reason: null | string; outcome: "at-limit" | "complete" | "failed" | "stopped" | "with-errors" | null; problem: null | CollectionProblem; createdAt: number; endedAt: null | number; spec: { kind: "audits" | "crawl" | "requests" | "watch" | "wiki"; seeds: (string)[]; scope: "any" | "domain" | "host" | "page" | "prefix"; include: (string)[]; exclude: (string)[]; maxPages: null | number; maxDepth: null | number; maxBytes: null | number; maxTimeS: null | number; maxPagesPerHost: null | number; maxBytesPerHost: null | number; maxTimePerHostS: null | number; bytesPerSecondPerHost: null | number; bytesPerSecond: null | number; delayMs: number; politeness: "adaptive" | "constant" | "density" | "tenfold"; delayMinMs: number; inFlightPerHost: number; retries: number; sitemaps: boolean; embeds: boolean; obeyNofollow: boolean; trapBudget: boolean; filter: null | Record<string, unknown>; extract?: { table: string; rules: ({ field: string; from: "css" | "header" | "json" | "regex" | "url"; select: string; attribute?: string; type: "boolean" | "instant" | "integer" | "number" | "text"; isRequired: boolean; list: boolean })[]; match: { url?: string; mime?: string } }; wiki: null | { id: null | number; task: null | number; keepWarc: boolean; robots: "etiquette" | "obey"; volunteers: boolean } }; errors: Record<string, number>; found: number; queued: number; leased: number; pages: number; captures: number; bytes: number; failed: number; denied: number; cancelled: number; duplicates: number; filtered: number; linksDropped: number }

export type CollectionTrailView = { id: number; at: number; by: string; undoneAt: null | number; undoneBy: null | string; before: Record<string, unknown>; after: Record<string, unknown> }

export type Column = { name: string; type: string }

export type CompareCurveView = { dynamic: null | { visits: number; versions: number; lost: number }; fixed: (ComparedPeriod)[] }

export type ComparedPeriod = { periodMs: number; visits: number; versions: number; lost: number }

export type ComparedRow = { changes: number; visits: number; versions: number; lost: number; lostSameDay: number; storedBytes: number; repeatedBytes: number; visitsPerDay: number; frequency: number }

export type Comparison = { periodMs: number; days: number; dynamic: ComparedRow; fixed: ComparedRow; savedBytes: number; unfairSavedBytes: number; savedVisits: number }

export type Contribution = { name: null | string; volunteers: number; requests: number; bytes: number; streakDays: number; byDay: ({ requests: number; bytes: number })[] }

export type Contributions = { from: number; days: number; volunteers: (Contribution)[] }

export type Counters = { bytes: number; denied: number; elapsed_ms: number; n_2xx: number; n_3xx: number; n_4xx: number; n_5xx: number; network_errors: number; timeouts: number }

export type CreditCheck = { chargesMicros: number; feesMicros: number; creditsMicros: number; holds: boolean }

export type CurvePoint = { at: number; found: number; queued: number; pages: number; bytes: number; failed: number }

export type DeliveryState = "failed" | "sending" | "sent" | "waiting"

export type DeliveryView = { id: string; ruleId: string; watchId: null | number; channel: "email" | "feed" | "webhook"; target: string; kind: "alert" | "test"; state: DeliveryState; alerts: number; tries: number; createdAt: number; sentAt: null | number; nextTryAt: null | number; problem: null | string }

export type DetailOutcome = "captured" | "denied" | "failed" | "returned"

export type DetailView = { id: number; at: number; device: string; collectionId: number; url: null | string; outcome: DetailOutcome; status: null | number; responseBytes: number; elapsedMs: number; encoding: null | string; code: null | string }

export type Deviation = { place: string; kind: DeviationKind; isConfirmed: boolean; says: string }

export type DeviationKind = "blocked" | "certificate" | "content" | "garbled" | "redirect" | "refused" | "reset" | "status" | "timeout" | "tls" | "variant"

export type DeviceAgent = { joinedAt: number; lastBeatAt: number }

export type DeviceItem = { host: string; url: null | string; collectionId: number; openedAt: number; deadline: number }

export type DeviceLease = { leases: number; openedAt: number; deadline: number; requests: number }

export type DevicePlace = { networkPrefix: string; firstSeenAt: number; lastSeenAt: number }

export type DeviceState = "active" | "paused" | "revoked"

export type DeviceTrust = { trust: null | TrustView; log: ({ at: number; device: string; who: string; action: TrustAction; reason: null | string; note: null | string; id: number })[] }

export type DiffBlockView = { kind: "added" | "edited" | "moved" | "removed" | "same"; before?: string; after?: string; words?: ({ kind: "added" | "removed" | "same"; text: string })[]; isIgnored?: true }

export type DiffKind = "added" | "moved-from" | "moved-to" | "removed" | "same"

export type DiffPart = { kind: DiffKind; text: string }

export type DiffSide = { timestamp: string; capturedAt: number; status: number; mime: string; digest: string }

export type DiffWatch = { id: number; name: string; chosen: "asked" | "important" | "only"; selectors: { include: (string)[]; exclude: (string)[] }; masks: number }

export type Discarded = { removed: number; bytesInFiles: number }

export type DocumentChange = { url: string; title: null | string; state: "added" | "changed" | "removed" | "unchanged"; beforeAt: null | number; afterAt: null | number }

export type DumpImportView = { id: number; file: string; state: "done" | "failed" | "running" | "waiting"; wiki: null | string; already: boolean; position: number; size: number; xmlBytes?: number; pages: number; revisions: number; revisionsPerSecond: number; gaps: number; rejects: Record<string, number>; examples: ({ code: string; line: number; message: string })[]; error: null | { code: string; message: string } }

export type EditGaps = { gaps: number; ms: null | Spread }

export type EditSessions = { sessions: number; editors: number; edits: null | Spread; ms: null | Spread }

export type EditWar = { wiki: string; pageId: number; title: null | string; editors: number; reverts: number; controversy: number; pairs: ({ one: string; other: string; oneUndid: number; otherUndid: number })[] }

export type EditorSplit = { edits: number; minor: number; kinds: { anonymous: number; bot: number; hidden: number; imported: number; registered: number; temporary: number; unknown: number } }

export type EditorTokens = { user: null | string; added: number; present: number; share: number; keptByOthers: number; rejected: number }

export type ErrorView = { code: string; count: number; lastUrl: null | string; lastAt: null | number }

export type EventPage = { events: (LoggedEvent)[]; next: null | number }

export type ExistingCollection = { collection: null | CollectionStatus; changes: SettingsDifference }

export type ExportedTable = { table: string; column: string; rows: (Record<string, unknown>)[]; isCut: boolean }

export type FacetBar = { value: string; count: number; bytes: number }

export type Favourite = { url: string; note: string; addedAt: number }

export type FederationStatus = { isFederated: false; url: null | string } | { isFederated: true; url: null | string; id: string; role: "member" | "registrar"; registrar: string; term: number; promotion: null | { registrar: string; name: string; term: number }; epoch: number; mode: "hash" | "hold"; mayDial: boolean; leaseLeftMs: number; owned: number; held: number; handovers: number; kept: number; exchange: { batches: number; rows: number; bytes: number; received: number }; peers: ({ station: string; sent: number; received: number })[]; measured: null | { exchangeShare: null | number; latencyMs: null | number }; outbox: Record<string, number>; stations: ({ id: string; name: string; url: string; branch: string; capacity: number; state: "active" | "left" | "lost"; keeper: null | string })[] }

export type FieldRule = { from?: string; type: "boolean" | "date" | "decimal" | "instant" | "integer" | "json" | "list" | "number" | "text" | "year"; isRequired?: boolean; isTrimmed?: boolean; decimals?: number; least?: number; most?: number; onFlaw?: "drop" | "empty" }

export type FileProblem = { line: number; code: string; message: string }

export type FileSummary = { format: string; bytes: number; rules: { columns: Record<string, { from?: string; type: "boolean" | "date" | "decimal" | "instant" | "integer" | "json" | "list" | "number" | "text" | "year"; isRequired?: boolean; isTrimmed?: boolean; decimals?: number; least?: number; most?: number; onFlaw?: "drop" | "empty" }> } }

export type FilterVerdict = { verdict: Verdict; filter: "collection" | "station" | null; rule: null | number; sentence: string }

export type Finding = { severity: "error" | "warning"; offset: number; code: FindingCode; message: string }

export type FindingCode = "bad-checksum" | "bad-gzip" | "bad-head" | "bad-length" | "block-digest" | "missing-field" | "no-warcinfo" | "not-a-record" | "payload-digest" | "revisit-target" | "shared-member" | "truncated" | "unknown-digest"

export type FirstSnapshot = { history: (Sample)[]; now: number; collections: (LiveCollection)[]; station: StationFigures; captures: (CaptureRow)[]; sample: Sample }

export type Flag = { id: string; client: string; kind: "clicks" | "credentials" | "denied" | "enumeration" | "evasion" | "hammering" | "injection" | "probing" | "scanning" | "volume"; severity: "alarm" | "notice"; evidence: Record<string, string | number>; samples: (string)[]; effect: "cut" | "hold" | "notify"; dayMax: null | number; state: "confirmed" | "dismissed" | "open"; openedAt: number; changedAt: number; note: null | string; decidedBy: null | string; decidedAt: null | number }

export type FleetCountry = { country: null | string; working: number; idle: number; away: number }

export type FleetDot = { lat: number; lon: number; country: null | string; isExact: boolean; working: number; idle: number; away: number; names: (string)[] }

export type FleetMap = { dots: (FleetDot)[]; countries: (FleetCountry)[]; nowhere: number; hosts: null | ({ country: string; lat: number; lon: number; hosts: number })[] }

export type Flow = { kind: "audit" | "block" | "cache" | "close" | "compensation" | "forfeit" | "refund" | "release" | "reservation" | "top-up" | "withdrawal"; accountClass: "client" | "held" | "outside" | "platform" | "reserve" | "volunteer"; micros: number }

export type FrequencyGroup = "high" | "low" | "medium"

export type FullAt = { earliest: null | number; likely: null | number; latest: null | number }

export type GateView = { passes: boolean; requirements: ({ name: string; holds: boolean; measured: null | number; bound: number; text: string })[] }

export type GraphTotals = { batches: number; hosts: number; pages: number; linkRows: number; links: number; timeRows: number }

export type GroupRow = { group: FrequencyGroup; intervalHours: number; sites: number; meanFrequency: number; lost: number; lostShare: number; visits: number; changes: number; unnecessary: number; unnecessaryShare: number; lostOfChanges: number; waste: number; wasteOfVisits: number; behaviours: { rare: number; seasonal: number; steady: number; "without pattern": number } }

export type GroupedWatch = { id: number; name: string; url: string; frequency: number; group: FrequencyGroup; behaviour: null | BehaviourView }

export type GrowthSample = { at: number; bytes: number }

export type GrowthSpan = { likely: number; low: number; high: number }

export type HostAccount = { host: string; days: (AskedDay)[]; rules: (HostRule)[]; isClosed: boolean; delayMs: number }

export type HostDistance = { device: string; rttMs: null | number; uncertaintyMs: null | number; sources: (string)[]; samples: null | number; by: "connection" | "first-byte" | null; km: null | number }

export type HostDistances = { host: string; pages: null | number; place: HostPlace; claims: (PlaceClaim)[]; devices: (HostDistance)[] }

export type HostOwner = { host: string; rule: "alone" | "handed-on" | "hash" | "held" | "map" | "placed" | "plan"; owner: null | { id: string; name: string; url: string }; isHere: boolean; branches: (string)[]; isUnwanted: boolean; knownBy: "own-map" | "registrar"; sentence: string; epoch: null | number; address: null | string; awaits: null | string }

export type HostPlace = { place: null | PlaceClaim; confidence: number; agreeing: (PlaceSource)[]; dissenting: (PlaceSource)[]; refuted: (PlaceSource)[]; anycast: boolean }

export type HostReset = { host: string; waitedUntil: number; backoffMs: number }

export type HostRule = { pattern: string; source: string; effect: RuleEffect; code: string; delayMs: number; reason: string; madeBy: string; since: number }

export type HostStatus = { id: number; name: string; address: null | string; country: null | string; nextAllowedAt: number; isOut: boolean; delayMs: number; crawlDelayMs: number; backoffMs: number; latencyMs: number; queued: number; found: number; pages: number; bytes: number }

export type IdentityReverts = { reverts: number; undone: number; ofOneself: number; pairs: ({ by: null | string; of: null | string; times: number })[] }

export type IdentityView = { id: string; issuer: string; createdAt: number; usedAt: null | number }

export type ImportAnswer = { file: string; captures: number; already: boolean; repacked: boolean; findings: (Finding)[]; findingCount: number }

export type ImportPreview = { columns: ({ name: string; type: string })[]; rows: ((unknown)[])[]; rowsRead: number; rowsKept: number; isWhole: boolean; rejects: (ImportReject)[]; format: string; bytes: number; rules: { columns: Record<string, { from?: string; type: "boolean" | "date" | "decimal" | "instant" | "integer" | "json" | "list" | "number" | "text" | "year"; isRequired?: boolean; isTrimmed?: boolean; decimals?: number; least?: number; most?: number; onFlaw?: "drop" | "empty" }> } }

export type ImportReject = { reason: string; count: number; field: null | string; outcome: "dropped" | "emptied" | "mended"; examples: ({ line: null | number; text: string })[] }

export type ImportedWatches = { added: (number)[]; skipped: number; problems: (FileProblem)[] }

export type Inequality = { gini: number; editors: number; edits: number; topTenth: number }

export type InputRules = { columns: Record<string, FieldRule> }

export type JobAct = "cancel" | "pause" | "resume" | "retry"

export type JobPage = { jobs: (JobView)[]; next: null | string }

export type JobView = { kind: "batch" | "collection" | "delivery" | "exchange" | "extract" | "harvest" | "load-test" | "map" | "neutrality" | "query" | "sweep" | "takedown" | "wiki"; id: string; of: string; subject: string; about: null | string; state: "cancelled" | "done" | "failed" | "paused" | "running" | "waiting"; at: number; startedAt: null | number; endedAt: null | number; attempts: null | number; done: null | number; total: null | number; error: null | { code: null | string; message: string }; acts: (JobAct)[] }

export type JoinFacts = { stationUrl: null | string; program: null | { path: string; bytes: number; sha256: string } }

export type JoinTokenView = { id: string; owner: string; isReusable: boolean; isTrusted: boolean; createdAt: number; expiresAt: null | number; usedAt: null | number; revokedAt: null | number }

export type KnownWorker = { name: string; boot: string; engine: string; address: string; tasks: number; seenAt: number; since: number; machine: null | string; pid: null | number; memoryMb: null | number; version: null | string; tasksDone: number }

export type LakeTaskPage = { tasks: (LakeTaskView)[]; next: null | string }

export type LakeTaskState = "cancelled" | "done" | "failed" | "ready" | "resting" | "running"

export type LakeTaskView = { query: string; queries: (string)[]; kind: string; owner: string; queryState: "abandoned" | "cancelled" | "done" | "failed" | "running"; stage: string; about: string; index: number; state: LakeTaskState; worker: null | string; leasedAt: null | number; leasedUntil: null | number; readyAt: null | number; endedAt: null | number; attempts: number; deaths: number; progress: number; error: null | { code: string; message: string; sql: null | string } }

export type Leader = { name: string; earnedMicros: number; requests: number }

export type LearningView = { visits: number; of: number }

export type LiveCollection = { id: number; owner: null | string; state: CollectionState; reason: null | string; outcome: "at-limit" | "complete" | "failed" | "stopped" | "with-errors" | null; problem: null | CollectionProblem; createdAt: number; endedAt: null | number; spec: { kind: "audits" | "crawl" | "requests" | "watch" | "wiki"; seeds: (string)[]; scope: "any" | "domain" | "host" | "page" | "prefix"; include: (string)[]; exclude: (string)[]; maxPages: null | number; maxDepth: null | number; maxBytes: null | number; maxTimeS: null | number; maxPagesPerHost: null | number; maxBytesPerHost: null | number; maxTimePerHostS: null | number; bytesPerSecondPerHost: null | number; bytesPerSecond: null | number; delayMs: number; politeness: "adaptive" | "constant" | "density" | "tenfold"; delayMinMs: number; inFlightPerHost: number; retries: number; sitemaps: boolean; embeds: boolean; obeyNofollow: boolean; trapBudget: boolean; filter: null | Record<string, unknown>; extract?: { table: string; rules: ({ field: string; from: "css" | "header" | "json" | "regex" | "url"; select: string; attribute?: string; type: "boolean" | "instant" | "integer" | "number" | "text"; isRequired: boolean; list: boolean })[]; match: { url?: string; mime?: string } }; wiki: null | { id: null | number; task: null | number; keepWarc: boolean; robots: "etiquette" | "obey"; volunteers: boolean } }; errors: Record<string, number>; found: number; queued: number; leased: number; pages: number; captures: number; bytes: number; failed: number; denied: number; cancelled: number; duplicates: number; filtered: number; linksDropped: number; seedCount: number }

export type LoadCeilings = { requestsPerSecond: number; bytes: number; durationMs: number; errorRate: number; p95Ms: number }

export type LoadPlan = { urls: (string)[]; visitorsMax: number; stepMs: number; thinkMs: number; answerMsMax: number; bears: BearingCriterion; ceilings: LoadCeilings }

export type LoadTestReport = { capacity: null | Capacity; says: string; notes: (string)[]; machines: null | { asked: number; joined: number; lost: number }; totals: null | { requests: number; bytes: number }; id: string; host: string; state: LoadTestState; reason: null | string; plan: LoadPlan; createdAt: number; startedAt: null | number; endedAt: null | number; steps: (StepSummary)[] }

export type LoadTestState = "aborted" | "finished" | "preparing" | "ready" | "running" | "unproven"

export type LoadTestView = { id: string; host: string; state: LoadTestState; reason: null | string; plan: LoadPlan; proof: null | { file: { path: string; content: string }; dns: null | { name: string; type: "TXT"; value: string }; provenAt: null | number }; createdAt: number; startedAt: null | number; endedAt: null | number; live: null | { visitors: number; perSecond: number; p95Ms: null | number; errorRate: number }; steps: (StepSummary)[] }

export type LogInOptions = { resetsByMail: boolean; passkeys: boolean; oidc: null | string }

export type LoggedEvent = { id: number; at: number; level: "error" | "info" | "notice" | "warning"; context: "abuse" | "account" | "agent" | "collection" | "federation" | "host" | "process" | "query" | "setting" | "station" | "takedown" | "watch" | "wiki" | "worker"; code: string; subject: string; sentence: string; details: null | Record<string, string | number>; device: null | string; by: null | string; byName: null | string; times: number }

export type ManualSetting = { setting: "periodMs" | "policy"; by: string; at: number }

export type MapPart = { device: string; capacity: number; hosts: number; pages: number }

export type MapView = { epoch: number; at: number; reason: string; why: string; way: string; hosts: number; pages: number; movedPages: number; exchangeShare: null | number; imbalance: null | number; latencyMs: null | number; parts: (MapPart)[]; story: null | PlacementReport }

export type MappedHost = { hostId: number; host: string; device: null | string }

export type MarkedText = { text: string; marks: ([number, number])[] }

export type MonitorView = { history: (RunView)[]; id: string; name: string; urls: (string)[]; by: PlaceKind; devicesPerPlace: number; everyMs: null | number; runMs: number; createdAt: number; nextRunAt: null | number; runs: number }

export type Namespace = { id: number; name: string; aliases: (string)[]; isCaseSensitive: boolean }

export type NewAlertView = { id: string; account: string; watchId: null | number; channel: "email" | "feed" | "webhook"; target: string; isActive: boolean; unsubscribedAt: null | number; mailbox: "confirmed" | "suppressed" | "unconfirmed" | null; createdAt: number; feedUrl: null | string; waiting: number; changes: "all" | "important" | "none"; leastMagnitude: number; failuresInRow: null | number; tellsBack: boolean; quiet: null | { from: string; to: string }; zone: string; digest: "at-once" | "daily" | "hourly" | "weekly"; digestHour: number; digestDay: number; mostPerHour: number; language: "en" | "es" | "pt"; secret: null | string }

export type NextVisit = { watchId: number; url: string; role: string; learning: null | LearningView; nextVisitAt: null | number; outSince: null | number; lastVisitAt: null | number; lastChangeAt: null | number; visits: number; changes: number; failures: number; plan: null | PlanView }

export type NoiseRegionView = { url: string; region: number; state: "ignored" | "restored"; preview: string; share: number; ignoredSince: null | number; confirmedAt: number; expiresAt: null | number; visits: number; differed: number; isWarned: boolean }

export type NoticeSource = "feed" | "hook" | "sitemap" | "websub"

export type NoticeView = { id: number; url: string; source: NoticeSource; at: number; isEarly: boolean; outcome: "changed" | "failed" | "unchanged" | null; settledAt: null | number }

export type OpenedProof = { host: string; token: string; expiresAt: number; file: { path: string; content: string }; dns: null | { name: string; type: "TXT"; value: string }; id: string; secret: string }

export type Order = { column: string; descending?: boolean }

export type Outcome = "cancelled" | "captured" | "denied" | "failed"

export type Parameter = { type: "integer" | "number" | "text"; default: string | number; about: string }

export type PasskeyOptions = { options: unknown }

export type PasskeyView = { id: string; name: string; isSynced: boolean; createdAt: number; usedAt: null | number }

export type PastSearch = { id: number; text: string; by: string; searchedAt: number }

export type PlaceAgreement = { at: number; hosts: number; placedBy: { airport: number; city: number; "dns-loc": number; geoip: number; institution: number; operator: number }; agreement: (AgreementRow)[] }

export type PlaceClaim = { source: PlaceSource; errorKm: number; lat: number; lon: number }

export type PlaceFlag = { url: string; consensus: null | string; sinceRun: number; place: string; kind: DeviationKind; isConfirmed: boolean; says: string }

export type PlaceKind = "country" | "network"

export type PlaceSource = "airport" | "city" | "dns-loc" | "geoip" | "institution" | "operator"

export type PlacedHostRow = { hostId: number; host: string; device: null | string; pages: number; country: null | string }

export type PlacementEpoch = { epoch: number; at: number; reason: string; why: string; way: string; hosts: number; pages: number; movedPages: number; exchangeShare: null | number; imbalance: null | number; latencyMs: null | number; parts: (PlacementPart)[]; story: null | PlacementReport }

export type PlacementEpochRow = { agents: number; movedHosts: null | number; epoch: number; at: number; reason: string; why: string; way: string; hosts: number; pages: number; movedPages: number; exchangeShare: null | number; imbalance: null | number; latencyMs: null | number }

export type PlacementExchange = { devices: (string)[]; links: ((number)[])[] }

export type PlacementMetrics = { cut: number; exchangeShare: number; imbalance: number; latencyMs: null | number }

export type PlacementMove = { host: string; from: string; to: string; pages: number }

export type PlacementPart = { device: string; capacity: number; hosts: number; pages: number }

export type PlacementReport = { after: PlacementMetrics; before: null | PlacementMetrics; movedHosts: number; newHosts: number; compared: Record<string, { runningMs: number; migrationMs: number }>; exchange: PlacementExchange; exchangeBefore: null | PlacementExchange }

export type PlacementState = { strategy: string; strategies: (string)[]; source: string; changedAt: null | number; changedBy: null | string; readyAgents: number; isPlanning: boolean; imbalanceMax: number; names: Record<string, string>; map: null | PlacementEpoch; now: null | { exchangeShare: number; imbalance: number; latencyMs: null | number } }

export type PlanView = { policy: string; because: null | string; text: string; chance: null | number; ratePerDay: null | number; rateLow: null | number; rateHigh: null | number }

export type Posted = { outcome: "nothing" | "posted" | "repeated"; micros: number }

export type PreviewedUrl = { given: string; url: null | string; isIn: boolean; why: "exclude" | "filter" | "in" | "include" | "no-address" | "reach" | "refused"; pattern: null | string }

export type ProblemAdvice = "allow-private" | "check-address" | "check-filter" | "check-server" | "later" | "other-address" | "robots"

export type ProofPurpose = "load-test" | "owner"

export type Query = { name: string; about: string; inputs: Record<string, InputRules | { table: string }>; parameters?: Record<string, Parameter>; from: Step; output: { columns: (string)[]; order: (Order)[] } }

export type QueryAnswer = { columns: (string)[]; rows: (Record<string, unknown>)[]; isCut: boolean }

export type QueryPlanView = { text: string; stages: (QueryStageView)[]; results: ({ query: string; columns: (string)[]; stage: string })[] }

export type QueryResultView = { name: string; columns: (string)[]; format: "csv" | "jsonl" | "parquet"; rows: null | number; bytes: null | number }

export type QueryRows = { query: string; columns: (string)[]; rows: ((unknown)[])[] }

export type QueryStageView = { id: string; about: string; tasks: number; inputs: ({ name: string; bytes: number; columns: (string)[] })[]; after: ({ stage: string; part: "partition" | "whole" })[]; program: (string)[]; outputs: ({ name: string; partitionBy: (string)[]; partitions: number; format: string })[]; done?: number; running?: number; rows?: number; bytes?: number; spentMs?: number }

export type QueryView = { id: string; number: number; kind: string; owner: string; queries: (string)[]; state: "abandoned" | "cancelled" | "done" | "failed" | "running"; askedAt: number; endedAt: null | number; tasks: { done: number; running: number; total: number }; rowsRead: number; bytesRead: number; bytesTotal: number; etaMs: null | number; stages: (StageProgress)[]; rejects: Record<string, number>; error: null | { code: string; message: string; stage: null | string; sql: null | string }; results: (QueryResultView)[] }

export type Quota = { open: number; usedToday: number; openMax: null | number; dayMax: null | number }

export type Rates = { from: number; requests: (number)[]; downBytes: (number)[]; upBytes: (number)[] }

export type ReadRows = { columns: ({ name: string; type: string })[]; rows: ((unknown)[])[] }

export type RejectedRows = { reasons: Record<string, number>; columns: ({ name: string; type: string })[]; rows: ((unknown)[])[] }

export type RemovedWatch = { id: number; kept: number; removed: number; bytesInFiles: number }

export type RepairAnswer = { checked: number; repaired: number; lost: ({ url: string; timestamp: string })[]; next: null | number }

export type ReplayAccess = { origin: null | string; pass: null | string; url: null | string; port: null | number }

export type ResultLine = { url: string; outcome: Outcome; status: null | number; bytes: null | number; digest: null | string; device: null | string; verified: boolean; code: null | string; message?: string; finalUrl: null | string; chain: (string)[]; capturedAt: null | string; fromCache: boolean; seq: number; no: number }

export type RevisionSource = "api" | "dump" | "export" | "history-pages"

export type RhythmCount = { bucket: string | number; edits: number; editors: number }

export type Round = { due: number; startedAt: number }

export type RoundState = { left: number; problem: null | CollectionProblem; visited: number; changed: number; unchanged: number; noise: number; failed: number }

export type RuleEffect = "close" | "exempt" | "slow"

export type RunView = { no: number; startedAt: number; endedAt: null | number; deviations: null | number }

export type Sample = { at: number; done: Record<string, number>; bytes: Record<string, number> }

export type SavedView = { id: number; owner: string; madeAt: number; editedAt: number; removedAt: null | number; kind: "query" | "sql"; name: string; text: string }

export type ScopePreview = { urls: (PreviewedUrl)[]; page: null | { url: string; capturedAt: number } }

export type SecondFactorView = { since: null | number; recoveryCodes: number }

export type SeedCheck = { given: string; url: null | string; refusal: null | string; robots: { state: "known"; fetchedAt: number; isAllowed: boolean; verdict: "none" | "rules" | "unavailable"; crawlDelayMs: number; sitemaps: (string)[] } | { state: "asking" | "no-agent" | "silent" | "unasked" } | { state: "failed"; code: string } }

export type SeedChecks = { seeds: (SeedCheck)[]; userAgent: string }

export type SeenCertificate = { digest: string; issuer: string; subject: string; validUntil: number }

export type SeenDevice = { id: string; owner: string; ownerName: string; name: string; state: DeviceState; isTrusted: boolean; isConnected: boolean; enrolledAt: number; seenAt: number; os: string; doing: "away" | "blocked" | "drained" | "idle" | "paused" | "resting" | "revoked" | "stopped" | "working"; whyIdle: "blocked" | "drained" | "expelled" | "month-used-up" | "no-collection" | "no-work" | "not-connected" | "on-battery" | "on-metered-line" | "others-have-it" | "outside-hours" | "paused-at-machine" | "paused-by-owner" | "quarantined" | "resting" | "revoked" | "straggles" | "too-old" | "waits-for-clocks" | "waits-for-trust" | null; agent: null | DeviceAgent; lease: null | DeviceLease; rates: Rates; trust: null | TrustView; heldMicros: number; osVersion: string; software: string; hostName: string; country: null | string; drainedAt: null | number; message: null | { text: string; at: number }; refused: null | string; counters: Counters; places: (DevicePlace)[] }

export type SessionView = { id: string; client: null | string; createdAt: number; seenAt: null | number; expiresAt: number; isThis: boolean }

export type SettingSource = "changed" | "default" | "environment" | "file" | "flag"

export type SettingValue = boolean | null | string | number | Record<string, unknown>

export type SettingView = { name: "abuseCutDayMax" | "abuseEffect" | "accountRequestsMax" | "addressRequestsMax" | "addressesKeptMs" | "auditFloor" | "batchMax" | "blockMax" | "cacheMicros" | "cacheMs" | "complaintDepositTimes" | "complaintsPerDay" | "dayRequestsMax" | "delayMs" | "detailsKeptMs" | "devicesPerOwnerMax" | "eventsKeptMs" | "eventsMost" | "feedEveryMs" | "feedTables" | "filter" | "foreignBytesMax" | "foreignDelayMs" | "foreignPagesMax" | "hangingMaxMs" | "hostsPerAddressMax" | "inHandMax" | "joinTokensOpenMax" | "keyRequestsMax" | "mailsPerHour" | "mapDrift" | "mapEveryMs" | "mapExchangeMs" | "mapMoveMs" | "messageLanguage" | "oidcRegistration" | "openRequestsMax" | "places" | "platformShareBps" | "queriesOpenMax" | "queryAbandonedMs" | "queryMemoryMb" | "readerQueriesOpenMax" | "readerUploadBytesMax" | "recheckShare" | "registration" | "requestMicros" | "requestTimeoutMs" | "resultsKeptMs" | "routeRequestsMax" | "sessionIdleHours" | "sqlAtOnceMax" | "sqlBytesMax" | "sqlMemoryMb" | "sqlRowsMax" | "sqlTimeoutMs" | "stragglerFactor" | "strategy" | "tableVersionsKeptMs" | "textCharacters" | "threadsPerHostMax" | "uploadBytesMax" | "uploadKeptMs" | "visitBytesPerDay" | "visitShare" | "visitsPerDay" | "waitingMax" | "webBotAuth" | "wikiDefault" | "wikiFeeds" | "wikiLocale"; value: SettingValue; source: SettingSource; default: SettingValue; unit: null | string; about: string; holds: string; min: null | number; max: null | number; choices: null | (string)[]; changedAt: null | number; changedBy: null | string }

export type SettingsDifference = { before: Record<string, unknown>; after: Record<string, unknown> }

export type Sharing = { owner: null | string; visibility: "private" | "public" | "shared"; sharedWith: (string)[] }

export type ShownChange = { before: SettingValue; after: SettingValue; no: number; name: string; by: null | string; at: number; note: null | string }

export type SignalView = { source: NoticeSource; notices: number; changed: number; unchanged: number; failed: number; precision: null | number }

export type SiteInfo = { name: string; dbName: null | string; base: string; generator: null | string; language: null | string; case: string; namespaces: (Namespace)[]; apiUrl: null | string; articlePath: null | string; rvLimit: number; rights: { text: null | string; url: null | string } }

export type SiteMetrics = { lost: number; occurred: number; generatedBytes: number; storedBytes: number; visits: number; frequency: number }

export type SizeDeltas = { known: number; unknown: number; grew: number; shrank: number; same: number; addedBytes: number; removedBytes: number; netBytes: number; medianBytes: null | number; p10Bytes: null | number; p90Bytes: null | number }

export type Spread = { mean: number; median: number; p90: number; longest: number }

export type SqlLimitsView = { rowsMax: number; jsonRowsMax: number; bytesMax: number; memoryMb: number; timeoutMs: number }

export type StageProgress = { id: string; about: string; done: number; running: number; total: number; rows: number }

export type Standing = { state: StandingState; reason: "abuse" | "failing" | "lie" | "lies" | "operator" | "owner" | "slow" | "timing-out" | null; blockedUntil: null | number; blocks: number; agreements: number; lies: number; liedHostId: null | number; releasedAt: number }

export type StandingState = "active" | "blocked" | "expelled" | "quarantined"

export type StatementLine = { postingId: string; at: number; kind: "audit" | "block" | "cache" | "close" | "compensation" | "forfeit" | "refund" | "release" | "reservation" | "top-up" | "withdrawal"; reference: string; note: null | string; amountMicros: number; requests: number; balanceMicros: number }

export type StationFigures = { urls: { found: number; queued: number; leased: number; pages: number; captures: number; bytes: number; failed: number }; collections: { cancelled: number; finished: number; paused: number; running: number }; agents: { working: number; idle: number }; queries: number; wikiTasks: number; visitsDue: number; lastError: null | { code: string; url: null | string; at: number; collectionId: number } }

export type Step = { step: "scan"; input: string } | { step: "filter"; from: Step; where: string } | { step: "project"; from: Step; columns: Record<string, string> } | { step: "first"; from: Step; by: (string)[] } | { step: "join"; from: Step; with: Step; on: (string | [string, string])[]; kind: "anti" | "inner" | "left" | "semi"; how: "broadcast" | "shuffle" } | { step: "group"; from: Step; by: (string)[]; aggregates: Record<string, Aggregate> } | { step: "quantile"; from: Step; of: string; q: string; keep: "below" | "from" } | { step: "top"; from: Step; rows: string | number; by: (Order)[] } | { step: "rowFunction"; from: Step; function: string; of: (string)[]; as: Column }

export type StepSummary = { errorRate: number; p50Ms: null | number; p90Ms: null | number; p95Ms: null | number; p99Ms: null | number; doesBear: boolean; visitors: number; countedMs: number; requests: number; perSecond: number; bytes: number; errors: { "4xx"?: number; "5xx"?: number; lost?: number; other?: number; refused?: number; timeout?: number; tls?: number }; isHeldBack: boolean }

export type SupersededRecord = { file: string; offset: number; length: number }

export type SuppressedAddress = { address: string; suppressedAt: number }

export type TableView = { name: string; kind: string; owner: null | string; columns: ({ name: string; type: string })[]; version: number; rows: number; bytes: number; segments: number; changedAt: number }

export type TagUse = { tag: string; edits: number; share: number; editors: number }

export type TakedownAnswer = { captures: (TakedownCapture)[]; dryRun: boolean }

export type TakedownCapture = { url: string; capturedAt: number; kind: string; digest: string; file: string }

export type TakedownView = { id: number; reason: string; by: string; isBlocked: boolean; state: "asked" | "done"; askedAt: number; doneAt: null | number; url: string; capturedAt: number; kind: string; digest: string; file: string }

export type TextIndexState = { isOn: boolean; indexed: number; captures: number }

export type ThroughputPoint = { at: number; spanMs: number; done: number; bytes: number }

export type ToldPage = { next: null | string; rows: (SeenDevice)[]; total: number }

export type Tombstone = { url: string; capturedAt: number; reason: string; askedAt: number }

export type TopEditor = { user: string; editor: string; edits: number; share: number; minor: number; pages: number; firstAt: number; lastAt: number }

export type TrailView = { id: number; at: number; by: string; kind: "created" | "edited" | "urls" | "visit"; before: Record<string, unknown>; after: Record<string, unknown>; undoneAt: null | number; undoneBy: null | string }

export type TrialBalance = { entriesMicros: number; balancesMicros: number; wrongAccounts: (string)[]; kinds: ({ kind: "audit" | "block" | "cache" | "close" | "compensation" | "forfeit" | "refund" | "release" | "reservation" | "top-up" | "withdrawal"; postings: number; movedMicros: number })[]; flows: (Flow)[]; credits: CreditCheck; isTrue: boolean }

export type TrustAction = "admitted" | "blocked" | "complaint" | "differs" | "drained" | "expelled" | "lie" | "proven" | "quarantined" | "released" | "told" | "unblocked" | "undrained" | "untold"

export type TrustView = { device: string; owner: string; network: null | string; isTrusted: boolean; isProven: boolean; honesty: number; auditProbability: number; standing: Standing; sentence: null | string; openComplaints: number }

export type UploadView = { id: string; name: string; owner: string; bytes: number; received: number; state: "open" | "ready"; expiresAt: number; partBytesMax: number }

export type UrlFinding = { url: string; verdict: Verdict2; consensus: null | string; places: number; deviations: (Deviation)[] }

export type Verdict = "open" | "unwanted" | "wanted"

export type Verdict2 = "differs" | "same" | "too-few" | "varies"

export type Verified = { wiki: string; pages: number; revisions: number; gaps: ({ kind: "count-differs" | "duplicate-revision" | "history-cut" | "no-root" | "parent-loop" | "parent-missing" | "revision-missing" | "revision-vanished" | "several-roots" | "sha1-wrong" | "size-wrong" | "text-missing" | "text-unreadable" | "time-order"; pageId: number; revId: null | number; detail: string; explainedBy: "created" | "deleted" | "hidden" | "imported" | "merged" | "moved" | "restored" | null; sentence: string })[]; damages: (string)[] }

export type VersionComparison = { before: ArchiveVersion; after: ArchiveVersion; counts: VersionCounts; documents: (DocumentChange)[]; next: null | string }

export type VersionCounts = { added: number; changed: number; removed: number; unchanged: number }

export type VersionState = "cancelled" | "complete" | "failed" | "paused" | "running" | "truncated" | "waiting"

export type VersionView = { version: number; at: number; why: string; segments: number; rows: number; bytes: number }

export type VersionView2 = { watchId: number; number: number; state: VersionState; reason: null | string; cause: string; startedAt: number; endedAt: null | number; documents: number; bytes: number; failed: number; files: (string)[]; agents: (string)[] }

export type VisitCause = "feed" | "first" | "hook" | "manual" | "period" | "plan" | "sitemap" | "websub"

export type VisitOutcome = "changed" | "failed" | "first" | "noise" | "unchanged"

export type WatchCategoryView = { code: number; name: string; watches: number }

export type WatchCompareView = { totals: WatchTotals; id: number; name: string; url: string; urls: number; urlsLeftOut: number; comparison: null | Comparison; gate: null | GateView }

export type WatchDay = { day: number; visits: number; changes: number; versions: number; storedBytes: number; failures: number; lost: number }

export type WatchDetail = { scope: "any" | "domain" | "host" | "page" | "prefix"; include: (string)[]; exclude: (string)[]; maxPages: null | number; maxBytes: null | number; maxTimeS: null | number; delayMs: number; politeness: "adaptive" | "constant" | "density" | "tenfold"; delayMinMs: number; byHand: (ManualSetting)[]; feeds: (string)[]; sitemaps: (string)[]; ignoredRegions: number; noiseWarnings: number; name: string; category: null | number; observations: string; isActive: boolean; periodMs: null | number; policy: null | string; importance: number; budgetShare: null | number; floorMs: null | number; threshold: number; includeSelectors: (string)[]; excludeSelectors: (string)[]; id: number; subject: "list" | "page" | "site"; owner: null | string; urls: number; url: string; state: CollectionState; createdAt: number; updatedAt: number; visits: number; changes: number; failures: number; feedChecks: number; captures: number; bytes: number; lastVisitAt: null | number; lastChangeAt: null | number; nextVisitAt: null | number; nextFeedCheckAt: null | number; learning: null | LearningView; ratePerDay: null | number }

export type WatchGroupView = { key: null | string; name: null | string; watches: number; active: number; captures: number; bytes: number }

export type WatchGroupsView = { from: number; to: number; rows: (GroupRow)[]; watches: (GroupedWatch)[]; unobserved: number; leftOut: number }

export type WatchListPage = { watches: (WatchListRow)[]; next: null | string; total: number }

export type WatchListRow = { outcomes: (VisitOutcome)[]; isUnread: boolean | null; gapMs: null | number; chance: null | number; rateLow: null | number; rateHigh: null | number; name: string; category: null | number; observations: string; isActive: boolean; periodMs: null | number; policy: null | string; importance: number; budgetShare: null | number; floorMs: null | number; threshold: number; includeSelectors: (string)[]; excludeSelectors: (string)[]; id: number; subject: "list" | "page" | "site"; owner: null | string; urls: number; url: string; state: CollectionState; createdAt: number; updatedAt: number; visits: number; changes: number; failures: number; feedChecks: number; captures: number; bytes: number; lastVisitAt: null | number; lastChangeAt: null | number; nextVisitAt: null | number; nextFeedCheckAt: null | number; learning: null | LearningView; ratePerDay: null | number }

export type WatchMetricsView = { id: number; totals: WatchTotals; name: string; url: string; from: null | number; to: number; urls: number; urlsLeftOut: number; metrics: SiteMetrics; group: "high" | "low" | "medium" | null; behaviour: null | BehaviourView; waste: number; days: (WatchDay)[] }

export type WatchTotals = { visits: number; changes: number; failures: number; feedChecks: number }

export type WatchView = { id: number; subject: "list" | "page" | "site"; owner: null | string; urls: number; url: string; state: CollectionState; createdAt: number; updatedAt: number; visits: number; changes: number; failures: number; feedChecks: number; captures: number; bytes: number; lastVisitAt: null | number; lastChangeAt: null | number; nextVisitAt: null | number; nextFeedCheckAt: null | number; learning: null | LearningView; ratePerDay: null | number; name: string; category: null | number; observations: string; isActive: boolean; periodMs: null | number; policy: null | string; importance: number; budgetShare: null | number; floorMs: null | number; threshold: number; includeSelectors: (string)[]; excludeSelectors: (string)[] }

export type WatchYear = { year: number; forecast: number; storedBytes: number; visits: number; changes: number; failures: number; feedChecks: number }

export type WebsubView = { topic: string; hub: string; state: "active" | "asked" | "refused" | "wanted"; leaseUntil: null | number; problem: null | string }

export type WikiAuthorShare = { user: null | string; added: number; present: number; share: number }

export type WikiAuthoredRun = { text: string; author: number; revId: number }

export type WikiAuthorship = { revId: number; authors: (WikiAuthorShare)[]; runs: (WikiAuthoredRun)[] }

export type WikiDetail = { namespaces: ({ ns: number; name: string; pages: number; revisions: number })[]; states: ({ state: string; pages: number })[]; wiki: string; name: string; base: null | string; language: null | string; licence: null | string; hasApi: boolean; addedAt: number; pages: number; revisions: number; editors: number; rawBytes: number; storedBytes: number; gaps: number; firstAt: null | number; newestAt: null | number; askedAt: null | number; feed: null | { isOn: boolean; nextPollAt: number; nextSweepAt: number } }

export type WikiEditorView = { user: string; editor: string; edits: number; pages: number; minor: number; firstAt: number; lastAt: number; netBytes: number; revertsMade: number; undoneByOthers: number }

export type WikiFailure = { page: string; code: string }

export type WikiGapRow = { pageId: number; title: null | string; revId: null | number; kind: string; sentence: string; isExplained: boolean; foundAt: number }

export type WikiLogInState = { hasToken: boolean; bot: null | { user: string; refusedUntil: null | number; code: null | string } }

export type WikiPageComparison = { pages: ({ wiki: string; pageId: number; title: null | string; revisions: number; editors: number; minor: number; anonymous: number; firstAt: number; lastAt: number; size: null | number; reverts: number })[]; overlaps: ({ one: number; other: number; common: number; likeness: number })[] }

export type WikiPageRow = { pageId: number; ns: number; title: string; redirect: null | string; state: string; url: null | string; revisions: number; editors: number; size: null | number; firstAt: null | number; lastAt: null | number }

export type WikiPageTrack = { page: { pageId: number; ns: number; title: string; redirect: null | string; state: string; url: null | string }; revIds: (number)[]; at: (number)[]; sizes: (null | number)[]; editorOf: (number)[]; editors: (null | string)[]; isCut: boolean }

export type WikiProgress = { requests: number; revisions: number; pages: number; pagesDone: number; upToDate: number; missing: (string)[]; warnings: (string)[] }

export type WikiRevisionRow = { revId: number; pageId: number; ns: number; title: null | string; at: number; user: null | string; editor: string; isMinor: boolean; size: null | number; delta: null | number; comment: null | string; tags: (string)[]; hidden: (string)[] }

export type WikiRow = { wikiId: number; key: string; name: string; dbName: null | string; apiUrl: null | string; site: SiteInfo; source: RevisionSource; parts: number; addedAt: number }

export type WikiScheduleView = { wiki: string; isOn: boolean; nextPollAt: number; nextSweepAt: number; days: ({ day: string; calls: number; ruleCalls: null | number; saved: null | number })[] }

export type WikiStats = { wiki: string; pages: number; revisions: number; rawBytes: number; storedBytes: number; gaps: number }

export type WikiSummary = { wiki: string; name: string; base: null | string; language: null | string; licence: null | string; hasApi: boolean; addedAt: number; pages: number; revisions: number; editors: number; rawBytes: number; storedBytes: number; gaps: number; firstAt: null | number; newestAt: null | number; askedAt: null | number; feed: null | { isOn: boolean; nextPollAt: number; nextSweepAt: number } }

export type WikiTaskState = "cancelled" | "done" | "failed" | "running" | "waiting"

export type WikiTaskView = { id: number; wiki: null | string; kind: string; state: WikiTaskState; arguments: Record<string, unknown>; priority: number; attempts: number; limits: Record<string, unknown>; progress: WikiProgress; error: null | string; createdAt: number; startedAt: null | number; endedAt: null | number; queued: number; failed: number; failures: (WikiFailure)[] }

export type WorkerView = { name: string; boot: string; engine: string; address: string; tasks: number; seenAt: number; since: number; machine: null | string; pid: null | number; memoryMb: null | number; version: null | string; tasksDone: number; isDrained: boolean; task: null | { query: string; stage: string; index: number; since: number }; idle: "about-to-take" | "drained" | "nothing-asked" | "waiting" | null }
