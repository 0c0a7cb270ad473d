/**
 * Tables of wikis: what is known of pages, what arrived and is not folded yet, and which files hold the rest.
 *
 * Texts and most of what is known of revisions live in files under DATA/wiki/<wiki id>/. A file exists when a
 * row of 'wiki_segments' names it; 'wiki_batches' is what arrived since, and counts at once.
 */
export const wiki = {
  version: 27,
  name: 'wiki',
  statements: [
    // 'site' is JSON. 'version' numbers the states of its segments; 'changes' every change of its rows, so
    // that a reader asks only for what is new; 'entombed' numbers tombstones, 'numbers' folds and segments,
    // none of which ever comes again. Who changes them holds this row until the commit.
    `CREATE TABLE wikis (
      id {{id}},
      key TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      db_name TEXT,
      host TEXT NOT NULL,
      root TEXT NOT NULL,
      api_url TEXT,
      site TEXT NOT NULL,
      source TEXT NOT NULL,
      parts {{int}} NOT NULL,
      version {{int}} NOT NULL DEFAULT 0,
      changes {{int}} NOT NULL DEFAULT 0,
      entombed {{int}} NOT NULL DEFAULT 0,
      numbers {{int}} NOT NULL DEFAULT 0,
      added_at {{int}} NOT NULL,
      site_at {{int}} NOT NULL
    )`,
    `CREATE INDEX wikis_by_host ON wikis (host)`,

    // 'revisions' and 'bytes' count what segments hold; what is pending is added when it is folded.
    `CREATE TABLE wiki_pages (
      wiki_id {{int}} NOT NULL,
      page_id {{int}} NOT NULL,
      ns {{int}} NOT NULL,
      title TEXT NOT NULL,
      redirect TEXT,
      state TEXT NOT NULL,
      first_at {{int}},
      last_at {{int}},
      last_rev_id {{int}},
      newest_at {{int}},
      revisions {{int}} NOT NULL DEFAULT 0,
      bytes {{int}} NOT NULL DEFAULT 0,
      source TEXT,
      run {{int}},
      changed {{int}} NOT NULL,
      PRIMARY KEY (wiki_id, page_id)
    ) {{without_rowid}}`,
    `CREATE INDEX wiki_pages_by_title ON wiki_pages (wiki_id, title)`,
    `CREATE INDEX wiki_pages_by_change ON wiki_pages (wiki_id, changed, page_id)`,

    // 'how': seen, moved, dump. The title without 'until' is today's.
    `CREATE TABLE wiki_titles (
      wiki_id {{int}} NOT NULL,
      page_id {{int}} NOT NULL,
      since {{int}} NOT NULL,
      title TEXT NOT NULL,
      ns {{int}} NOT NULL,
      until {{int}},
      how TEXT NOT NULL,
      PRIMARY KEY (wiki_id, page_id, since, title)
    ) {{without_rowid}}`,

    // What the logs of a wiki say of its pages. 'log_id' 0: it was concluded, no log says it.
    `CREATE TABLE wiki_events (
      id {{id}},
      wiki_id {{int}} NOT NULL,
      log_id {{int}} NOT NULL,
      kind TEXT NOT NULL,
      page_id {{int}},
      title TEXT NOT NULL,
      at {{int}} NOT NULL,
      details TEXT NOT NULL,
      noted_at {{int}} NOT NULL,
      UNIQUE (wiki_id, log_id, kind, at, title)
    )`,
    `CREATE INDEX wiki_events_by_page ON wiki_events (wiki_id, page_id)`,

    // What a history should have and has not. 'rev_id' 0: of the page as a whole.
    `CREATE TABLE wiki_gaps (
      wiki_id {{int}} NOT NULL,
      page_id {{int}} NOT NULL,
      rev_id {{int}} NOT NULL,
      kind TEXT NOT NULL,
      detail TEXT NOT NULL,
      explained_by TEXT,
      found_at {{int}} NOT NULL,
      PRIMARY KEY (wiki_id, page_id, rev_id, kind)
    ) {{without_rowid}}`,

    // Revisions of one page that arrived together. 'meta' is what is known of them, 'texts' their texts.
    `CREATE TABLE wiki_batches (
      wiki_id {{int}} NOT NULL,
      seq {{int}} NOT NULL,
      page_id {{int}} NOT NULL,
      revisions {{int}} NOT NULL,
      raw_bytes {{int}} NOT NULL,
      stored_bytes {{int}} NOT NULL,
      source TEXT NOT NULL,
      seen_at {{int}} NOT NULL,
      noted_at {{int}} NOT NULL,
      meta {{bytes}} NOT NULL,
      texts {{bytes}} NOT NULL,
      PRIMARY KEY (wiki_id, seq)
    )`,
    `CREATE TABLE wiki_pending (
      wiki_id {{int}} NOT NULL,
      rev_id {{int}} NOT NULL,
      seq {{int}} NOT NULL,
      PRIMARY KEY (wiki_id, rev_id, seq)
    ) {{without_rowid}}`,

    // 'fold': the number that its files carry. Removed ones stay a while for those who still read them.
    `CREATE TABLE wiki_segments (
      wiki_id {{int}} NOT NULL,
      id {{int}} NOT NULL,
      part {{int}} NOT NULL,
      fold {{int}} NOT NULL,
      pack TEXT NOT NULL,
      rows TEXT NOT NULL,
      revisions {{int}} NOT NULL,
      raw_bytes {{int}} NOT NULL,
      pack_bytes {{int}} NOT NULL,
      rows_bytes {{int}} NOT NULL,
      rev_min {{int}} NOT NULL,
      rev_max {{int}} NOT NULL,
      added_in {{int}} NOT NULL,
      removed_in {{int}},
      removed_at {{int}},
      PRIMARY KEY (wiki_id, id)
    ) {{without_rowid}}`,
    `CREATE INDEX wiki_segments_live ON wiki_segments (wiki_id) WHERE removed_in IS NULL`,
    `CREATE INDEX wiki_segments_gone ON wiki_segments (removed_at) WHERE removed_in IS NOT NULL`,
    // Rows of a segment that are superseded: a later segment has them again.
    `CREATE TABLE wiki_superseded (
      wiki_id {{int}} NOT NULL,
      segment_id {{int}} NOT NULL,
      rev_id {{int}} NOT NULL,
      PRIMARY KEY (wiki_id, segment_id, rev_id)
    ) {{without_rowid}}`,
    // Current writers of files: files of a number that is neither here nor in a segment are
    // abandoned.
    `CREATE TABLE wiki_folds (
      wiki_id {{int}} NOT NULL,
      id {{int}} NOT NULL,
      kind TEXT NOT NULL,
      until {{int}} NOT NULL,
      PRIMARY KEY (wiki_id, id)
    ) {{without_rowid}}`,

    // Tombstones. 'kind': upstream (the wiki hid it) or takedown (a removal was requested).
    // 'fields' is a list with commas. Without 'done_at' the bytes are still in some file, though
    // they are not served any more.
    `CREATE TABLE wiki_purges (
      wiki_id {{int}} NOT NULL,
      rev_id {{int}} NOT NULL,
      kind TEXT NOT NULL,
      fields TEXT NOT NULL,
      reason TEXT NOT NULL,
      number {{int}} NOT NULL,
      at {{int}} NOT NULL,
      done_at {{int}},
      PRIMARY KEY (wiki_id, rev_id)
    ) {{without_rowid}}`,
    `CREATE INDEX wiki_purges_open ON wiki_purges (wiki_id) WHERE done_at IS NULL`,

    // How far the import of a dump came; 'position' is JSON.
    `CREATE TABLE wiki_checkpoints (
      dump TEXT PRIMARY KEY,
      wiki_id {{int}} NOT NULL,
      position TEXT NOT NULL,
      is_done {{int}} NOT NULL,
      at {{int}} NOT NULL
    ) {{without_rowid}}`,

    // What a user requested. 'arguments', 'limits' and 'progress' are JSON.
    `CREATE TABLE wiki_tasks (
      id {{id}},
      wiki_id {{int}},
      kind TEXT NOT NULL,
      arguments TEXT NOT NULL,
      state TEXT NOT NULL,
      priority {{int}} NOT NULL DEFAULT 0,
      attempts {{int}} NOT NULL DEFAULT 0,
      limits TEXT NOT NULL,
      progress TEXT NOT NULL,
      error TEXT,
      collection_id {{int}},
      run {{int}} NOT NULL DEFAULT 0,
      created_at {{int}} NOT NULL,
      started_at {{int}},
      ended_at {{int}}
    )`,
    `CREATE INDEX wiki_tasks_open ON wiki_tasks (wiki_id, priority) WHERE state IN ('waiting', 'running')`,
    `CREATE INDEX wiki_tasks_by_collection ON wiki_tasks (collection_id) WHERE collection_id IS NOT NULL`,
  ],
}
