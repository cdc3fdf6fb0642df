-- The two statements of the published example, a filter and a join. It gives the tables' names only; their sizes are
-- taken from these names, and rows are taken to have 100 bytes.

-- size: 100 GB
-- row width: 100 B
CREATE TABLE data_100g (id_int INT, payload VARCHAR);

-- size: 100 MB
-- row width: 100 B
CREATE TABLE data_100m (id INT, payload VARCHAR);

-- name: filter
SELECT * FROM data_100g WHERE id_int < 10;

-- name: join
SELECT a.id_int FROM data_100g a JOIN data_100m b ON a.id_int = b.id;
