/** Every text of the page in English, one file an area. */
import account from './en/account.json' with { type: 'json' }
import agents from './en/agents.json' with { type: 'json' }
import archive from './en/archive.json' with { type: 'json' }
import attention from './en/attention.json' with { type: 'json' }
import base from './en/base.json' with { type: 'json' }
import collections from './en/collections.json' with { type: 'json' }
import events from './en/events.json' with { type: 'json' }
import frame from './en/frame.json' with { type: 'json' }
import list from './en/list.json' with { type: 'json' }
import loadTests from './en/load-tests.json' with { type: 'json' }
import neutrality from './en/neutrality.json' with { type: 'json' }
import placement from './en/placement.json' with { type: 'json' }
import query from './en/query.json' with { type: 'json' }
import requests from './en/requests.json' with { type: 'json' }
import station from './en/station.json' with { type: 'json' }
import tasks from './en/tasks.json' with { type: 'json' }
import watch from './en/watch.json' with { type: 'json' }
import wiki from './en/wiki.json' with { type: 'json' }

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
