/** Every text of the page in Portuguese, one file an area. */
import account from './pt/account.json' with { type: 'json' }
import agents from './pt/agents.json' with { type: 'json' }
import archive from './pt/archive.json' with { type: 'json' }
import attention from './pt/attention.json' with { type: 'json' }
import base from './pt/base.json' with { type: 'json' }
import collections from './pt/collections.json' with { type: 'json' }
import events from './pt/events.json' with { type: 'json' }
import frame from './pt/frame.json' with { type: 'json' }
import list from './pt/list.json' with { type: 'json' }
import loadTests from './pt/load-tests.json' with { type: 'json' }
import neutrality from './pt/neutrality.json' with { type: 'json' }
import placement from './pt/placement.json' with { type: 'json' }
import query from './pt/query.json' with { type: 'json' }
import requests from './pt/requests.json' with { type: 'json' }
import station from './pt/station.json' with { type: 'json' }
import tasks from './pt/tasks.json' with { type: 'json' }
import watch from './pt/watch.json' with { type: 'json' }
import wiki from './pt/wiki.json' with { type: 'json' }

export const texts = {
  ...account,
  ...agents,
  ...archive,
  ...attention,
  ...base,
  ...collections,
  ...events,
  ...frame,
  ...list,
  ...loadTests,
  ...neutrality,
  ...placement,
  ...query,
  ...requests,
  ...station,
  ...tasks,
  ...watch,
  ...wiki,
}
