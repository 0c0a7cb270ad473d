/** Every text of the page in Spanish, one file an area. */
import account from './es/account.json' with { type: 'json' }
import agents from './es/agents.json' with { type: 'json' }
import archive from './es/archive.json' with { type: 'json' }
import attention from './es/attention.json' with { type: 'json' }
import base from './es/base.json' with { type: 'json' }
import collections from './es/collections.json' with { type: 'json' }
import events from './es/events.json' with { type: 'json' }
import frame from './es/frame.json' with { type: 'json' }
import list from './es/list.json' with { type: 'json' }
import loadTests from './es/load-tests.json' with { type: 'json' }
import neutrality from './es/neutrality.json' with { type: 'json' }
import placement from './es/placement.json' with { type: 'json' }
import query from './es/query.json' with { type: 'json' }
import requests from './es/requests.json' with { type: 'json' }
import station from './es/station.json' with { type: 'json' }
import tasks from './es/tasks.json' with { type: 'json' }
import watch from './es/watch.json' with { type: 'json' }
import wiki from './es/wiki.json' with { type: 'json' }

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
